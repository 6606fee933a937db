import Foundation
import TestSupport
import Testing

/// The tool as a real process.
///
/// The build puts it next to the test program.
@Suite struct `The parhelion process` {
  private static let executable: URL = {
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
    return program.deletingLastPathComponent().appendingPathComponent("parhelion")
  }()

  @Test
  func
    `Results go to standard output, messages to standard error, and the status is the command's`()
    throws
  {
    let version = try run(["--version"])
    #expect(version.status == 0)
    #expect(version.result.hasPrefix("parhelion "))
    let wrong = try run(["modle"])
    #expect(wrong.status == 64)
    #expect(wrong.result.isEmpty)
    #expect(wrong.messages.contains("Did you mean \"model\"?"))
    #expect(try run(["model", "show", "gone.mom"]).status == 1)
  }

  @Test(arguments: [("| head -c 1", ["0", "1"]), (">&-", ["1"]), ("> /dev/full", ["1"])])
  func `A closed reader or output does not crash the process, and a lost result is a failure`(
    redirection: String, statuses: [String]
  ) throws {
    try SampleModels.withNotes { path in
      let shell =
        "'\(Self.executable.path)' model show '\(path)' --format svg \(redirection); echo \"${PIPESTATUS[0]}\" >&2"
      let outcome = try run(["-c", shell], of: URL(fileURLWithPath: "/bin/bash"))
      let last = try #require(outcome.messages.split(separator: "\n").last.map(String.init))
      #expect(statuses.contains(last), "\(outcome.messages)")
    }
  }

  @Test
  func `A laboratory command replaces the process, and gets its arguments and streams`()
    throws
  {
    try withTemporaryDirectory { folder in
      let tool = try Self.install(in: folder)
      let laboratory = folder.appendingPathComponent("parhelion-lab")
      let script = """
        #!/bin/bash
        read -r line
        printf '%s|' "$@" "$line" "$PPID"
        printf 'message\n' >&2
        [ "$1" != bench ] || kill -KILL $$
        exit 7

        """
      try Data(script.utf8).write(to: laboratory)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: laboratory.path)
      let passed = try run(["simulate", "--seed", "1 2", ""], of: tool, input: "a line\n")
      #expect(passed.status == 7 && passed.reason == .exit)
      #expect(passed.result == "simulate|--seed|1 2||a line|\(getpid())|")
      #expect(passed.messages == "message\n")
      #expect(try run(["help", "demo"], of: tool).result.hasPrefix("help|demo|"))
      let ended = try run(["bench", "local"], of: tool)
      #expect(ended.status == SIGKILL && ended.reason == .uncaughtSignal)
      #expect(try run(["--version"], of: tool).result.hasPrefix("parhelion "))
    }
  }

  @Test func `A missing laboratory is an error that explains its installation`() throws {
    try withTemporaryDirectory { folder in
      let tool = try Self.install(in: folder)
      let outcome = try run(["demo", "--plain"], of: tool)
      #expect(outcome.status == 1 && outcome.result.isEmpty)
      #expect(
        outcome.messages.contains(
          "The program parhelion-lab is missing in \(folder.resolvingSymlinksInPath().path)."))
      #expect(outcome.messages.contains("“swift build -c release --product parhelion-lab”"))
      #expect(try run(["--help"], of: tool).result.contains("  demo "))
    }
  }

  /// Copies the tool into an empty folder.
  ///
  /// Another process copies it. A child that another test starts would inherit the file that this
  /// process writes, and the system does not execute a file that is open for writing.
  private static func install(in folder: URL) throws -> URL {
    let tool = folder.appendingPathComponent("parhelion")
    let copy = try Process.run(
      URL(fileURLWithPath: "/bin/cp"), arguments: [executable.path, tool.path])
    copy.waitUntilExit()
    #expect(copy.terminationStatus == 0)
    return tool
  }

  private func run(
    _ arguments: [String], of program: URL = executable, input: String = ""
  ) throws -> (status: Int32, reason: Process.TerminationReason, result: String, messages: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let (source, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = source
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try source.fileHandleForWriting.close()
    let result = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, process.terminationReason, String(decoding: result, as: UTF8.self),
      String(decoding: messages, as: UTF8.self)
    )
  }
}
