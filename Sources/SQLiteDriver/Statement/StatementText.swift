/// A statement's SQL as a cache key.
///
/// SQL is long and looked up for every execution. The hash covers its length and a few sampled
/// bytes, which usually distinguish a program's statements. Equality compares the whole text, which
/// is free for the same string.
struct StatementText: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (one: StatementText, other: StatementText) -> Bool {
    one.text.hasSameBytes(as: other.text)
  }

  func hash(into hasher: inout Hasher) {
    let utf8 = text.utf8
    let count = utf8.count
    hasher.combine(count)
    let sampled: Void? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      let words = unsafe Self.samples(of: bytes.span)
      for index in words.indices { hasher.combine(words[index]) }
    }
    if sampled == nil { hasher.combine(text) }
  }

  /// Packed bytes at equal distances.
  private static func samples(of bytes: Span<UInt8>) -> InlineArray<3, UInt64> {
    var words = InlineArray<3, UInt64>(repeating: 0)
    let step = bytes.count / 24 + 1
    var index = 0
    var place = 0
    while index < bytes.count {
      words[place / 8] = words[place / 8] << 8 | UInt64(bytes[index])
      index += step
      place += 1
    }
    return words
  }
}
