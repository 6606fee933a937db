import RecordStorage
import SQLiteRecordStorage
import Testing

/// A key with a number.
func key(_ number: Int) -> StorageKey {
  var key = StorageKey(partition: "owner", keyspace: 1)
  key.append(unsigned: UInt64(number))
  return key
}

/// Opens a store and closes it after `body`.
func withEngine<Result>(
  in path: String, _ options: SQLiteStorageEngine.Options = .init(),
  _ body: (SQLiteStorageEngine) async throws -> Result
) async throws -> Result {
  let engine = try SQLiteStorageEngine(folder: path, options: options)
  do {
    let result = try await body(engine)
    await engine.close()
    return result
  } catch {
    await engine.close()
    throw error
  }
}

/// The keys in the store of a folder that no process has open.
func keys(in path: String, _ options: SQLiteStorageEngine.Options = .init()) async throws
  -> [StorageKey]
{
  try await withEngine(in: path, options) { try await $0.keys() }
}

extension SQLiteStorageEngine.Options {
  /// Options with which a group accepts all waiting transactions, however slow the machine is.
  static var patient: Self {
    var options = Self()
    options.groupDuration = .seconds(600)
    return options
  }
}

extension StorageEngine {
  /// Writes some entries in one transaction.
  func fill(_ numbers: Range<Int>, valueBytes: Int = 400) async throws {
    try await write { store in
      for number in numbers {
        try store.set(
          Array(repeating: UInt8(truncatingIfNeeded: number), count: valueBytes), for: key(number))
      }
    }
  }

  /// The keys in the store.
  func keys() async throws -> [StorageKey] {
    try await read { try $0.entries(in: .all).map(\.key) }
  }
}

/// The storage error that `body` throws.
@discardableResult
func storageError(
  _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async throws -> StorageError {
  let error = try await #require(throws: StorageError.self, sourceLocation: sourceLocation) {
    try await body()
  }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  return error
}
