import ParhelionCommands
import Synchronization

/// Writes a device's messages, line by line.
final class DemoWriter: Sendable {
  private let console: any Console
  private let turn = Mutex(())

  init(_ console: any Console) { self.console = console }

  /// Writes a line.
  ///
  /// Failures are only reported: if the reader is gone, the input ends too.
  func say(_ message: DemoMessage) {
    turn.withLock { _ in
      do { try console.writeLine(try DemoLine.text(message)) } catch { console.report("\(error)") }
    }
  }
}
