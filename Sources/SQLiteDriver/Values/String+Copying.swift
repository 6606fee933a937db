extension String {
  /// A string of its own from lent UTF-8 bytes.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  @usableFromInline
  init(copying utf8: Span<UInt8>) {
    self = unsafe utf8.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// Whether another string has the same UTF-8 bytes: SQL that differs in how a character is
  /// written is other SQL.
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
