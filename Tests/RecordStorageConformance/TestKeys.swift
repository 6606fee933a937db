import RecordStorage

/// The error of bodies that abort.
struct TestError: Error {}

/// A key in a keyspace of the tests.
func key(_ texts: String..., keyspace: UInt8 = 1) -> StorageKey {
  var key = StorageKey(partition: "owner", keyspace: keyspace)
  for text in texts { key.append(text: text) }
  return key
}

/// A key with a number, like a position.
func key(_ number: Int, keyspace: UInt8 = 1) -> StorageKey {
  var key = StorageKey(partition: "owner", keyspace: keyspace)
  key.append(unsigned: UInt64(number))
  return key
}

/// Bytes that depend on the number at both ends.
func bytes(_ number: Int, count: Int = 8) -> [UInt8] {
  var run = Array(repeating: UInt8(truncatingIfNeeded: number &* 31), count: count)
  for place in 0..<min(8, count) {
    run[place] = UInt8(truncatingIfNeeded: number >> (8 * place))
    run[count - 1 - place] ^= UInt8(truncatingIfNeeded: count >> (8 * place))
  }
  return run
}

extension StorageReading {
  /// The number that `setNumber` stored, or 0.
  func number(of key: StorageKey) throws -> Int {
    try value(of: key)?.reduce(0) { $0 << 8 | Int($1) } ?? 0
  }
}

extension StorageWriting {
  func setNumber(_ number: Int, for key: StorageKey) throws {
    try set((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }, for: key)
  }
}

extension StorageEngine {
  /// All entries of the store.
  func contents() async throws -> [StorageEntry] { try await read { try $0.entries(in: .all) } }

  /// Writes some entries.
  func fill(_ numbers: Range<Int>, keyspace: UInt8 = 1, valueBytes: Int = 8) async throws {
    try await write { store in
      for number in numbers {
        try store.set(bytes(number, count: valueBytes), for: key(number, keyspace: keyspace))
      }
    }
  }
}

extension StorageEntry {
  init(_ key: StorageKey, _ value: [UInt8]) { self.init(key: key, value: value) }
}
