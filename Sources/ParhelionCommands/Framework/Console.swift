import Synchronization

/// Where a command writes, its result to one side, messages to the other; and where it reads.
package protocol Console: Sendable {
  /// Whether somebody reads the result along at a terminal, and no file or log has it.
  var isTerminal: Bool { get }
  /// Writes a part of the result, as it is.
  func write(_ text: String) throws
  /// Writes a message in a line of its own. A message that cannot be written is dropped.
  func report(_ message: String)
  /// Reads a line of standard input that nobody should see; nil where there is none.
  ///
  /// - Parameter prompt: What is asked where somebody types it.
  func readSecret(prompt: String) throws -> String?
}

extension Console {
  /// Writes a line of the result.
  package func writeLine(_ text: String) throws { try write(text + "\n") }
}

/// A console that keeps what is written, for tests.
package final class RecordingConsole: Console {
  private let texts = Mutex((result: "", messages: ""))
  private let input: Mutex<ArraySlice<String>>
  package let isTerminal: Bool

  /// - Parameter input: The lines that are read from it.
  package init(input: [String] = [], isTerminal: Bool = false) {
    self.input = Mutex(input[...])
    self.isTerminal = isTerminal
  }

  /// The result so far.
  package var result: String { texts.withLock { $0.result } }
  /// The messages so far, each with its line break.
  package var messages: String { texts.withLock { $0.messages } }

  package func write(_ text: String) {
    texts.withLock { $0.result += text }
  }

  package func report(_ message: String) {
    texts.withLock { $0.messages += message + "\n" }
  }

  package func readSecret(prompt: String) -> String? { input.withLock { $0.popFirst() } }
}
