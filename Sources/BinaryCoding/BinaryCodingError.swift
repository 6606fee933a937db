/// Why bytes are not the form that they should be: they are damaged, or newer than this program.
package struct BinaryCodingError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, such as “the end comes too early”.
  package var what: String
  /// Where the reader was.
  package var offset: Int

  package init(what: String, offset: Int) {
    self.what = what
    self.offset = offset
  }

  package var description: String { "A stored value is damaged: \(what) at byte \(offset)." }
}
