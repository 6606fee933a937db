import Synchronization

/// The input and output of a command: results, messages, and secrets.
package protocol Console: Sendable {
  /// Whether results go to a terminal, not to a file or log.
  var isTerminal: Bool { get }
  /// Writes a part of the result.
  func write(_ text: String) throws
  /// Writes a message on a separate line; a message that cannot be written is dropped.
  func report(_ message: String)
  /// Reads a line of standard input without echo; nil at its end.
  ///
  /// - Parameter prompt: The prompt if the input is a terminal.
  func readSecret(prompt: String) throws -> String?
}

extension Console {
  /// Writes a line of the result.
  package func writeLine(_ text: String) throws { try write(text + "\n") }

  /// Writes lines of the result.
  package func writeLines(_ lines: [String]) throws {
    for line in lines { try writeLine(line) }
  }
}

/// A console that records its output, for tests.
package final class RecordingConsole: Console {
  private let texts = Mutex((result: "", messages: ""))
  private let input: Mutex<ArraySlice<String>>
  package let isTerminal: Bool

  /// Creates a console in memory.
  ///
  /// - Parameter input: The lines of its input.
  package init(input: [String] = [], isTerminal: Bool = false) {
    self.input = Mutex(input[...])
    self.isTerminal = isTerminal
  }

  /// The result so far.
  package var result: String { texts.withLock { $0.result } }
  /// The messages so far, each with its newline.
  package var messages: String { texts.withLock { $0.messages } }

  package func write(_ text: String) {
    texts.withLock { $0.result += text }
  }

  package func report(_ message: String) {
    texts.withLock { $0.messages += message + "\n" }
  }

  package func readSecret(prompt: String) -> String? { input.withLock { $0.popFirst() } }
}
