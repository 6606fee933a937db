/// Reads the components of a key in order, from bytes that the store lends.
///
/// ```swift
/// var reader = StorageKeyReader(after: zonePrefix)
/// let sequence = try reader.unsigned(in: key)
/// ```
///
/// The reader keeps only its offset: the bytes are borrowed for each call and never copied. Bytes
/// of another form than the requested component throw `damaged`.
package struct StorageKeyReader {
  /// The offset of the next byte to read.
  package private(set) var offset: Int

  /// Starts at the partition.
  package init() { offset = 0 }

  /// Starts after a prefix that the key is known to have.
  package init(after prefix: StorageKey) { offset = prefix.bytes.count }

  /// Whether the whole key was read.
  package func isAtEnd(of key: Span<UInt8>) -> Bool { offset >= key.count }

  /// Reads the keyspace, which follows the partition.
  package mutating func keyspace(in key: Span<UInt8>) throws(StorageError) -> UInt8 {
    try byte(in: key)
  }

  /// Reads one unencoded byte.
  package mutating func byte(in key: Span<UInt8>) throws(StorageError) -> UInt8 {
    guard offset < key.count else { throw Self.damage(at: offset) }
    defer { offset += 1 }
    return key[offset]
  }

  package mutating func unsigned(in key: Span<UInt8>) throws(StorageError) -> UInt64 {
    guard key.count - offset >= 8 else { throw Self.damage(at: offset) }
    var number: UInt64 = 0
    for index in offset..<offset + 8 { number = number << 8 | UInt64(key[index]) }
    offset += 8
    return number
  }

  package mutating func signed(in key: Span<UInt8>) throws(StorageError) -> Int64 {
    Int64(bitPattern: try unsigned(in: key) ^ KeyBytes.signBit)
  }

  package mutating func double(in key: Span<UInt8>) throws(StorageError) -> Double {
    Double(bitPattern: KeyBytes.unordered(try unsigned(in: key)))
  }

  /// Reads a string.
  ///
  /// The partition is a string.
  package mutating func text(in key: Span<UInt8>) throws(StorageError) -> String {
    let start = offset
    let utf8 = try bytes(in: key)
    guard let text = String(validating: utf8, as: UTF8.self) else { throw Self.damage(at: start) }
    return text
  }

  package mutating func bytes(in key: Span<UInt8>) throws(StorageError) -> [UInt8] {
    var run: [UInt8] = []
    while offset < key.count {
      let byte = key[offset]
      offset += 1
      if byte == KeyBytes.end { return run }
      run.append(byte == KeyBytes.escape ? try escaped(in: key) : byte)
    }
    throw Self.damage(at: offset)
  }

  /// Reads the second byte of an escape, and returns the byte it encodes.
  private mutating func escaped(in key: Span<UInt8>) throws(StorageError) -> UInt8 {
    guard offset < key.count, key[offset] == 0x01 || key[offset] == 0x02 else {
      throw Self.damage(at: offset)
    }
    defer { offset += 1 }
    return key[offset] - 1
  }

  private static func damage(at offset: Int) -> StorageError {
    StorageError(
      .damaged,
      "a key in the store does not have the form of its keyspace, at byte \(offset); check the store's integrity and restore a backup"
    )
  }
}
