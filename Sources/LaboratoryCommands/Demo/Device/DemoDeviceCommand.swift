import Foundation
import ParhelionCommands

/// `parhelion-lab demo-device`: a device, which the demonstration starts.
enum DemoDeviceCommand {
  static let command = Command(
    "demo-device",
    "Act as a device of the demonstration, with orders on standard input, one line of JSON each."
  ) { _, console in
    // The parent process handles the interrupt. It kills this process, or closes its input.
    _ = signal(SIGINT, SIG_IGN)
    let device = DemoDevice(DemoWriter(console))
    for await line in lines() { await device.execute(line) }
    return .success
  }
  .hidden()

  /// The lines of standard input, until it ends.
  private static func lines() -> AsyncStream<String> {
    let (lines, line) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let text = readLine() { line.yield(text) }
      line.finish()
    }
    return lines
  }
}
