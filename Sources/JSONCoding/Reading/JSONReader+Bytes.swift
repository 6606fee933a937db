// Every look at the bytes goes through these functions, and none looks beyond the end.
extension JSONReader {
  var count: Int { bytes.byteCount }

  /// The byte at an offset; the caller has compared it with `count`.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count)
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Eight bytes, the first one lowest; the caller has compared `offset + 8` with `count`.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset + 8 <= count)
    return UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Part of the document.
  @_lifetime(copy self)
  func slice(_ range: Range<Int>) -> Span<UInt8> {
    Span<UInt8>(_bytes: bytes.extracting(range))
  }

  /// The next byte that is not white space, without taking it; nil at the end.
  @inline(__always)
  mutating func peekByte() -> UInt8? {
    while position < count {
      let byte = byte(at: position)
      if byte > ASCII.space { return byte }
      guard byte == ASCII.space || byte == ASCII.newline || byte == ASCII.carriageReturn || byte == ASCII.tab else {
        return byte
      }
      position += 1
    }
    return nil
  }
}
