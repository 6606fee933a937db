import CommandTestSupport
import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

/// The demonstration with real processes.
@Suite("Playing the demonstration", .blockingThreads, .endsAtAll)
struct DemoPlayTests {
  @Test
  func `With plain output, both devices end with the server's notes, and no files remain`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let console = RecordingConsole()
      let player = DemoPlayer(
        executable: Programs.parhelion.path, .small, DemoScreen(console, .lines), folder: folder,
        patience: 200)
      let summary = await player.play()
      #expect(summary.problems.isEmpty, "\(console.result)")
      #expect(summary.scenes.map(\.title) == DemoScenes.all(.small).map(\.title))
      #expect(summary.notes == 12 + 32)
      let latency = try #require(summary.latency)
      #expect(latency.changes == 5)
      #expect(
        0 < latency.medianMilliseconds && latency.medianMilliseconds <= latency.worstMilliseconds)
      #expect(console.result.contains("The server was killed."))
      #expect(!console.result.contains("\u{1B}"))
      #expect(
        summary.lines.contains(
          "Both devices agree with the server: 44 notes, digest \(summary.digest)."))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func `A signal ends the demonstration early with its name and leaves nothing`() throws {
    let process = Process()
    try withTemporaryDirectory { folder in
      process.executableURL = Programs.parhelion
      process.arguments = ["demo", "--plain"]
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) {
        _, new in new
      }
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let first = output.fileHandleForReading.availableData
      #expect(String(decoding: first, as: UTF8.self).contains("A server and two devices"))
      process.interrupt()
      let rest = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      #expect(String(decoding: rest, as: UTF8.self).contains("It was stopped by SIGINT."))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func `A tool that is not a server fails the demonstration with a reason`() async {
    let player = DemoPlayer(
      executable: "/bin/false", .small, DemoScreen(RecordingConsole(), .silent))
    let summary = await player.play()
    #expect(summary.problems == ["/bin/false does not run as a server."])
    #expect(!summary.isGood)
    #expect(summary.lines.last == "The demonstration failed.")
  }

  @Test func `A device reports an invalid order and continues`() async throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = Programs.laboratory
    process.arguments = ["demo-device"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("nonsense\n".utf8))
    try input.fileHandleForWriting.write(
      contentsOf: Data((DemoLine.text(DemoRequest(number: 1, order: .sync)) + "\n").utf8))
    try input.fileHandleForWriting.close()
    var splitter = LineSplitter()
    let messages = try splitter.take(output.fileHandleForReading.readDataToEndOfFile())
      .map { try DemoLine.value(DemoMessage.self, from: $0) }
    process.waitUntilExit()
    #expect(messages.first == .refused(order: 0, reason: "This is not an order: nonsense"))
    guard case .refused(order: 1, let reason) = messages.last else {
      Issue.record("\(messages)"); return
    }
    #expect(reason.contains("The device has no store."))
  }

  @Test func `Help lists the demonstration but not its device processes`() {
    let help = Commands.run(["--help"])
    #expect(help.result.contains("  demo "))
    #expect(!help.result.contains("demo-device"))
  }
}
