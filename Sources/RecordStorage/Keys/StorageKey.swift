/// A place in the order of a store: bytes that compare as a tuple does.
///
/// A key begins with the partition it belongs to, by which a distributed engine spreads entries,
/// and a keyspace, which says what kind of entry it is. Components follow; each is written so that
/// the order of the bytes is the order of the values:
///
/// ```swift
/// var key = StorageKey(partition: owner, keyspace: 3)
/// key.append(text: zone)
/// key.append(unsigned: sequence)
/// ```
///
/// | component | bytes |
/// |---|---|
/// | keyspace | 1 byte |
/// | unsigned integer | 8 bytes, the highest first |
/// | signed integer | as an unsigned one, with the sign bit turned |
/// | double | its bits, 8 bytes: the sign bit turned, or all bits of a negative number; the order is `isTotallyOrdered` |
/// | text | its UTF-8, in which 00 is written 01 01 and 01 is written 01 02; then 00 |
/// | bytes | as a text |
///
/// Components carry no types: whoever reads a key knows what is in its keyspace. Hence 00 may stand
/// for the end of a text only: were it part of an escape (00 FF is usual), the first byte of a
/// following number could be taken for the other half. Texts are in the order of their scalars, and
/// texts that only look the same are different keys.
package struct StorageKey: Hashable, Sendable {
  /// The key as the store keeps it.
  package var bytes: [UInt8]

  /// A key of these bytes, as a store has it.
  @inlinable
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The beginning of all keys of a keyspace of a partition.
  ///
  /// - Parameter capacity: The bytes that the whole key will probably have, so that it is allocated
  ///   once.
  package init(partition: String, keyspace: UInt8, capacity: Int = 96) {
    bytes = []
    bytes.reserveCapacity(capacity)
    append(text: partition)
    bytes.append(keyspace)
  }

  /// The least key above this one.
  package var successor: StorageKey { StorageKey(bytes: bytes + [0]) }
}

extension StorageKey: Comparable {
  /// Whether a key comes first: by unsigned bytes, and a beginning before what continues it.
  package static func < (one: StorageKey, other: StorageKey) -> Bool {
    precedes(one.bytes.span, other.bytes.span)
  }

  /// The same order, of lent bytes.
  package static func precedes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    let common = min(one.count, other.count)
    var index = 0
    while index < common {
      if one[index] != other[index] { return one[index] < other[index] }
      index += 1
    }
    return one.count < other.count
  }
}

extension StorageKey: CustomStringConvertible {
  /// The bytes in hexadecimal digits, for messages and failed tests.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }
}
