import Foundation
import ParhelionCommands

/// An event of the demonstration.
enum DemoEvent: Sendable {
  case message(DemoMessage, from: DemoDeviceName)
  /// A process wrote a line that is not a message.
  case noise(String, from: DemoDeviceName)
  /// A process has ended.
  case gone(DemoDeviceName)
  /// The player's timer fired.
  case tick
  /// A signal with this name requests the end.
  case stop(String)
}

/// A demonstration device in a separate process.
final class DeviceProcess {
  private let process = Process()
  private let input = Pipe()

  /// Starts `parhelion-lab` as a device.
  ///
  /// - Parameters:
  ///   - executable: The path of `parhelion`, which is in the same folder as `parhelion-lab`.
  ///   - folder: The folder for the device's files, which the caller removes.
  ///   - hear: Called for the device's messages and for its end, on a separate thread.
  init(
    _ name: DemoDeviceName, executable: String, folder: URL,
    hear: @escaping @Sendable (DemoEvent) -> Void
  ) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable).deletingLastPathComponent()
      .appendingPathComponent(SiblingProgram.laboratory.name)
    process.arguments = ["demo-device"]
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) {
      _, new in new
    }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let reading = output.fileHandleForReading
    Thread.detachNewThread {
      var splitter = LineSplitter()
      while true {
        let bytes = reading.availableData
        guard !bytes.isEmpty else { break }
        for line in splitter.take(bytes) { hear(Self.event(line, name)) }
      }
      hear(.gone(name))
    }
  }

  deinit { end() }

  var processIdentifier: Int32 { process.processIdentifier }

  private static func event(_ line: String, _ name: DemoDeviceName) -> DemoEvent {
    guard let message = try? DemoLine.value(DemoMessage.self, from: line) else {
      return .noise(line, from: name)
    }
    return .message(message, from: name)
  }

  /// Sends an order.
  func send(_ request: DemoRequest) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((DemoLine.text(request) + "\n").utf8))
  }

  /// Kills the process; its data is not needed any more.
  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
