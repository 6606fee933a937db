/// A half-open range of keys.
package struct StorageRange: Hashable, Sendable {
  /// The lower bound, inclusive.
  package let lower: StorageKey
  /// The upper bound, exclusive; nil if the range extends to the end of the store.
  package let upper: StorageKey?

  package init(from lower: StorageKey, to upper: StorageKey?) {
    self.lower = lower
    self.upper = upper
  }

  /// The keys that begin with a prefix, including the prefix itself.
  package init(prefix: StorageKey) {
    self.init(from: prefix, to: Self.end(of: prefix))
  }

  /// The keys that begin with a prefix and come after a given key, to continue a read.
  package init(prefix: StorageKey, after key: StorageKey) {
    self.init(from: max(prefix, key.successor), to: Self.end(of: prefix))
  }

  /// Every key.
  package static let all = StorageRange(from: StorageKey(bytes: []), to: nil)

  /// Whether the range contains no key.
  package var isEmpty: Bool { upper.map { $0 <= lower } ?? false }

  package func contains(_ key: StorageKey) -> Bool {
    key >= lower && (upper.map { key < $0 } ?? true)
  }

  /// The least key greater than all that begin with `prefix`; nil if there is none.
  private static func end(of prefix: StorageKey) -> StorageKey? {
    guard let last = prefix.bytes.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var bytes = Array(prefix.bytes[...last])
    bytes[last] += 1
    return StorageKey(bytes: bytes)
  }
}
