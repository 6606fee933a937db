extension String {
  /// Creates a string from borrowed UTF-8 bytes.
  ///
  /// Invalid UTF-8 becomes replacement characters.
  @usableFromInline
  init(copying utf8: Span<UInt8>) {
    self = unsafe utf8.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// Whether another string has the same UTF-8 bytes.
  ///
  /// Canonically equivalent strings with different bytes are different SQL.
  func hasSameBytes(as other: String) -> Bool {
    let (own, others) = (utf8, other.utf8)
    guard own.count == others.count else { return false }
    let compared = unsafe own.withContiguousStorageIfAvailable { own in
      unsafe others.withContiguousStorageIfAvailable { others in
        unsafe own.baseAddress == others.baseAddress || own.elementsEqual(others)
      }
    }
    return (compared ?? nil) ?? own.elementsEqual(others)
  }
}
