/// The keys from one, itself included, up to another, itself left out.
package struct StorageRange: Hashable, Sendable {
  /// The first key that may be in the range.
  package let lower: StorageKey
  /// The key where the range has ended; nil where it goes on to the end of the store.
  package let upper: StorageKey?

  package init(from lower: StorageKey, to upper: StorageKey?) {
    self.lower = lower
    self.upper = upper
  }

  /// The keys that begin with a prefix, the prefix itself included.
  package init(prefix: StorageKey) {
    self.init(from: prefix, to: Self.end(of: prefix))
  }

  /// The keys that begin with a prefix and come after one of them: where a reader goes on.
  package init(prefix: StorageKey, after key: StorageKey) {
    self.init(from: max(prefix, key.successor), to: Self.end(of: prefix))
  }

  /// Every key.
  package static let all = StorageRange(from: StorageKey(bytes: []), to: nil)

  /// Whether no key can be in it.
  package var isEmpty: Bool { upper.map { $0 <= lower } ?? false }

  package func contains(_ key: StorageKey) -> Bool {
    key >= lower && (upper.map { key < $0 } ?? true)
  }

  /// The least key above all that begin with `prefix`: its last byte that can grow, grown; nil
  /// where none can.
  private static func end(of prefix: StorageKey) -> StorageKey? {
    guard let last = prefix.bytes.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var bytes = Array(prefix.bytes[...last])
    bytes[last] += 1
    return StorageKey(bytes: bytes)
  }
}
