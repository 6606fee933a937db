extension String {
  /// A string of its own from lent UTF-8 bytes.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  init(copying utf8: Span<UInt8>) {
    self = unsafe utf8.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
