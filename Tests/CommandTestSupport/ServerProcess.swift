package import Foundation
import TestSupport
import Testing

/// The built tool as a server in a separate process.
package final class ServerProcess {
  package static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent()
    .appendingPathComponent("parhelion")

  package let port: UInt16
  /// The JSON that the server printed when it was ready.
  package let announcement: [String: Any]
  private let process = Process()
  private let messages = Pipe()
  /// The server's standard input, for `--until-input-ends`.
  package let input = Pipe()

  /// Starts a server on a folder, and waits until it is ready.
  package convenience init(data: URL, _ options: String...) throws {
    try self.init(data: data, options: options)
  }

  /// Starts a server on a folder with options in a list.
  package init(data: URL, options: [String]) throws {
    let output = Pipe()
    process.executableURL = Self.executable
    process.arguments = ["serve", "--data", data.path, "--port", "0", "--json"] + options
    process.standardOutput = output
    process.standardError = messages
    process.standardInput = input
    try process.run()
    var line = Data()
    while !line.contains(10) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      line += more
    }
    announcement = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] ?? [:]
    let address = announcement["address"] as? String
    guard let port = address?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      kill(process.processIdentifier, SIGKILL)
      let text = messages.fileHandleForReading.readDataToEndOfFile()
      throw StartFailure(description: String(decoding: line + text, as: UTF8.self))
    }
    self.port = port
  }

  /// The output of a server that did not become ready.
  private struct StartFailure: Error, CustomStringConvertible { let description: String }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Sends a signal and waits for the end.
  ///
  /// Returns the exit status or the signal that ended the process, and its messages.
  package func end(by signal: Int32) -> (status: Int32, isSignal: Bool, messages: String) {
    kill(process.processIdentifier, signal)
    return waitForEnd()
  }

  /// Waits for the end.
  ///
  /// Returns the exit status or the signal that ended the process, and its messages.
  package func waitForEnd() -> (status: Int32, isSignal: Bool, messages: String) {
    let text = messages.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, process.terminationReason == .uncaughtSignal,
      String(decoding: text, as: UTF8.self)
    )
  }
}
