import Foundation
import TestSupport
import Testing

/// The tool as a real process.
///
/// It lies beside the test program, where the build puts both.
@Suite struct `The parhelion process` {
  private static let executable: URL = {
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
    return program.deletingLastPathComponent().appendingPathComponent("parhelion")
  }()

  @Test func `Result and messages go to different sides, and the status is that of the call`()
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

  @Test(arguments: ["| head -c 1", ">&-", "> /dev/full"])
  func `A reader that goes away, or an output that is closed, is no crash`(redirection: String)
    throws
  {
    try SampleModels.withNotes { path in
      let shell =
        "'\(Self.executable.path)' model show '\(path)' --format svg \(redirection); echo \"${PIPESTATUS[0]}\" >&2"
      let outcome = try run(["-c", shell], of: URL(fileURLWithPath: "/bin/bash"))
      let last = outcome.messages.split(separator: "\n").last.map(String.init)
      #expect(["0", "1"].contains(last), "\(outcome.messages)")
    }
  }

  private func run(
    _ arguments: [String], of program: URL = executable
  ) throws -> (status: Int32, result: String, messages: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let result = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: result, as: UTF8.self),
      String(decoding: messages, as: UTF8.self)
    )
  }
}
