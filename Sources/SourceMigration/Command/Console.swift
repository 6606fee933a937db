/// The input and output of the command.
package struct Console {
  /// Writes to standard output.
  package let write: (String) -> Void
  /// Writes to standard error.
  package let writeError: (String) -> Void
  /// Reads one line that the user types; nil if the input is not interactive.
  package let ask: (() -> String?)?
  package let isColoured: Bool

  package init(
    write: @escaping (String) -> Void, writeError: @escaping (String) -> Void,
    ask: (() -> String?)?, isColoured: Bool
  ) {
    self.write = write
    self.writeError = writeError
    self.ask = ask
    self.isColoured = isColoured
  }
}
