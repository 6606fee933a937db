/// A key of a store: bytes that sort like a tuple of components.
///
/// A key begins with its partition, by which a distributed engine places entries, and its keyspace,
/// which identifies the kind of entry. Components follow, encoded so that the order of the bytes is
/// the order of the values:
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
/// | unsigned integer | 8 bytes, big-endian |
/// | signed integer | like an unsigned one, with the sign bit inverted |
/// | double | 8 bytes: sign bit inverted, or all bits if negative; ordered by `isTotallyOrdered` |
/// | string | its UTF-8, with 00 written as 01 01 and 01 as 01 02; then 00 |
/// | byte string | like a string |
///
/// Components carry no types; the keyspace determines them. So 00 may only terminate a string: if
/// it were part of an escape (00 FF is usual), the first byte of a following number could be read
/// as the second half of that escape. Strings sort by their Unicode scalars, and canonically
/// equivalent strings are different keys.
package struct StorageKey: Hashable, Sendable {
  /// The key's encoded bytes.
  package var bytes: [UInt8]

  /// Creates a key from encoded bytes.
  @inlinable
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates the common prefix of all keys of a keyspace in a partition.
  ///
  /// - Parameter capacity: The expected length of the complete key in bytes, so that it is
  ///   allocated once.
  package init(partition: String, keyspace: UInt8, capacity: Int = 96) {
    bytes = []
    bytes.reserveCapacity(capacity)
    append(text: partition)
    bytes.append(keyspace)
  }

  /// The least key greater than this one.
  package var successor: StorageKey { StorageKey(bytes: bytes + [0]) }
}

extension StorageKey: Comparable {
  /// Compares keys as unsigned bytes; a prefix comes before a longer key.
  package static func < (one: StorageKey, other: StorageKey) -> Bool {
    precedes(one.bytes.span, other.bytes.span)
  }

  /// Compares borrowed key bytes in the order of keys.
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
  /// The bytes in hexadecimal, for messages and failed tests.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }
}
