import Foundation

/// `parhelion serve` in a separate process.
///
/// The server ends with this object, or when this process ends; its folder stays.
final class SpawnedServer: Sendable {
  let port: UInt16
  /// The certificate that TLS clients must trust; nil without TLS.
  let certificateAuthority: String?
  private let process: Process
  /// The server's standard input, whose end stops it.
  private let input: Pipe

  /// The error if the process does not announce that it is ready.
  struct NotReady: Error {}

  /// The server's announcement when it is ready.
  private struct Announcement: Decodable {
    let address: String
    let certificateAuthority: String?
  }

  /// Starts a server on a folder, and waits until it is ready.
  ///
  /// - Parameter port: The port; 0 for a free one.
  init(executable: String, data: String, port: UInt16 = 0, _ options: [String] = []) throws {
    let (process, input) = (Process(), Pipe())
    process.standardInput = input
    do {
      let announcement = try Self.start(
        process, executable, ["--data", data, "--port", "\(port)"] + options)
      guard let port = announcement.address.split(separator: ":").last.flatMap({ UInt16($0) })
      else {
        throw NotReady()
      }
      (self.process, self.input, self.port) = (process, input, port)
      certificateAuthority = announcement.certificateAuthority
    } catch {
      Self.end(process)
      throw error
    }
  }

  deinit { end() }

  var processIdentifier: Int32 { process.processIdentifier }

  /// Ends the server after it has finished its running requests.
  func end() { Self.end(process) }

  /// Kills the server, to simulate a crash.
  func crash() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func end(_ process: Process) {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  private static func start(_ process: Process, _ executable: String, _ arguments: [String]) throws
    -> Announcement
  {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments =
      [
        "serve", "--json", "--log", "errors", "--open-metrics", "--until-input-ends", "--limit",
        "requests-per-second=0",
      ]
      + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw NotReady() }
      line += more
    }
    return try JSONDecoder().decode(Announcement.self, from: line)
  }
}
