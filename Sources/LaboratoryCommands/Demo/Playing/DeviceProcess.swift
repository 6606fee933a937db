import Foundation
import ParhelionCommands

/// What the demonstration hears.
enum DemoEvent: Sendable {
  case message(DemoMessage, from: DemoDeviceName)
  /// A process said something that is no message.
  case noise(String, from: DemoDeviceName)
  /// A process has ended.
  case gone(DemoDeviceName)
  /// A moment has passed.
  case tick
  /// Somebody wants the end, by the signal of a name.
  case stop(String)
}

/// A device of the demonstration, in a process of its own.
final class DeviceProcess {
  private let process = Process()
  private let input = Pipe()

  /// Starts `parhelion-lab` as a device.
  ///
  /// - Parameters:
  ///   - executable: The path of `parhelion`, which `parhelion-lab` lies beside.
  ///   - folder: Where it may leave files; whoever starts it removes them.
  ///   - hear: Is told of what it says, and of its end, on a thread of its own.
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

  /// The number of the process.
  var processIdentifier: Int32 { process.processIdentifier }

  private static func event(_ line: String, _ name: DemoDeviceName) -> DemoEvent {
    guard let message = try? DemoLine.value(DemoMessage.self, from: line) else {
      return .noise(line, from: name)
    }
    return .message(message, from: name)
  }

  /// Tells it to do something.
  func send(_ request: DemoRequest) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((DemoLine.text(request) + "\n").utf8))
  }

  /// Ends it at once; what it has is thrown away.
  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
