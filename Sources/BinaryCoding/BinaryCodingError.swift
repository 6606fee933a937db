/// The reason why bytes could not be decoded: they are damaged, or newer than this program.
package struct BinaryCodingError: Error, Hashable, CustomStringConvertible {
  /// The error in words, such as “the data ends too early”.
  package var reason: String
  /// The reader's position in the bytes.
  package var offset: Int

  package init(reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "A stored value is damaged: \(reason) at byte \(offset)." }
}
