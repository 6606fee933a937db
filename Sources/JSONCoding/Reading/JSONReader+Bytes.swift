// All access to the bytes goes through these functions and `SpecialBytes`, and stays within bounds.
extension JSONReader {
  var count: Int { bytes.byteCount }

  /// Returns the byte at an offset.
  ///
  /// The caller has checked that the offset is less than `count`.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count)
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Returns a part of the document.
  @_lifetime(copy self)
  func slice(_ range: Range<Int>) -> Span<UInt8> {
    Span<UInt8>(_bytes: bytes.extracting(range))
  }

  /// Returns the next byte that is not white space without consuming it, or nil at the end.
  @inline(__always)
  mutating func peekByte() -> UInt8? {
    while position < count {
      let byte = byte(at: position)
      if byte > ASCII.space { return byte }
      guard
        byte == ASCII.space || byte == ASCII.newline || byte == ASCII.carriageReturn
          || byte == ASCII.tab
      else {
        return byte
      }
      position += 1
    }
    return nil
  }
}
