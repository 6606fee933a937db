internal import RecordStorage
internal import SQLiteDriver

extension SQLiteTransaction: StorageWriting {
  func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError) {
    try StorageError.checkLength(of: key, valueBytes: value.count)
    willWrite()
    if value.count <= Limits.inlineBytes {
      try operate {
        try put(key) { statement throws(SQLiteError) in
          try statement.bind(blob: unsafe value.bytes, at: 2)
        }
      }
    } else {
      try operate {
        let id = try insertLong(value)
        try put(key) { statement throws(SQLiteError) in try statement.bind(id, at: 2) }
      }
    }
  }

  func remove(_ key: StorageKey) throws(StorageError) {
    willWrite()
    try operate {
      try run(EntrySQL.removeLongValue, for: key)
      try run(EntrySQL.remove, for: key)
    }
  }

  func removeEntries(in range: StorageRange) throws(StorageError) {
    willWrite()
    guard !range.isEmpty else { return }
    try operate {
      let isBounded = range.upper != nil
      var longValues = try prepare(EntrySQL.removeLongValues(isBounded: isBounded), range)
      try longValues.run()
      var entries = try prepare(EntrySQL.removeEntries(isBounded: isBounded), range)
      try entries.run()
    }
  }

  /// Sets the value of an entry by `bindValue`: a short value, or the number of a long one.
  private func put(
    _ key: StorageKey, _ bindValue: (inout Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    if try run(EntrySQL.set, for: key, bindValue) { return }
    // The key has a long value, which must be removed too.
    try run(EntrySQL.removeLongValue, for: key)
    try run(EntrySQL.replace, for: key, bindValue)
  }

  private func insertLong(_ value: Span<UInt8>) throws -> Int64 {
    var statement = try connection.prepare(EntrySQL.insertLongValue)
    try statement.withBorrowed(blob: unsafe value.bytes, at: 1) { try $0.run() }
    return connection.lastInsertedRowID
  }

  /// Runs a statement for a key.
  ///
  /// - Returns: Whether a row was changed.
  @discardableResult
  private func run(
    _ sql: String, for key: StorageKey,
    _ bindValue: (inout Statement) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) -> Bool {
    var statement = try connection.prepare(sql)
    try statement.bind(key.bytes, at: 1)
    try bindValue(&statement)
    try statement.run()
    return connection.changes > 0
  }
}
