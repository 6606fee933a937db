/// A place in a text file: line and column, both counted from 1, the column in characters of
/// Unicode.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package var description: String { "\(line):\(column)" }
}
