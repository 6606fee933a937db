import ParhelionCommands
import Synchronization

/// Writes what a device says, line by line.
final class DemoWriter: Sendable {
  private let console: any Console
  private let turn = Mutex(())

  init(_ console: any Console) { self.console = console }

  /// Writes a line; where nobody reads any more, the end of the input tells so, too.
  func say(_ message: DemoMessage) {
    turn.withLock { _ in
      do { try console.writeLine(try DemoLine.text(message)) } catch { console.report("\(error)") }
    }
  }
}
