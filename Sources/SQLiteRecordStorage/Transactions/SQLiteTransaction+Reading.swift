internal import RecordStorage
internal import SQLiteDriver

extension SQLiteTransaction: StorageReading {
  func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
    try whileVisiting {
      var statement = try operate { try connection.prepare(EntrySQL.value) }
      for (place, key) in keys.enumerated() {
        let isFound = try operate {
          try statement.bind(key.bytes, at: 1)
          return try statement.step()
        }
        if isFound {
          try lend(statement.row, shortAt: 0) { try visit(place, $0) }
          statement.reset()
        } else {
          try visit(place, nil)
        }
      }
    }
  }

  func visitEntries(
    in range: StorageRange, order: StorageOrder, limit: Int,
    _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
  ) throws {
    guard limit > 0, !range.isEmpty else { return }
    try whileVisiting {
      var statement = try operate {
        try prepare(EntrySQL.entries(isBounded: range.upper != nil, order: order), range)
      }
      var left = limit
      while try left > 0 && operate({ try statement.step() }) {
        left -= 1
        let decision = try statement.row.withBlob(at: 0) { key in
          try lend(statement.row, shortAt: 1) {
            try visit(unsafe key._unsafeView(as: UInt8.self), $0)
          }
        }
        guard decision == .proceed else { return }
      }
    }
  }

  /// Prepares a statement with a range's bounds as its first parameters.
  func prepare(_ sql: String, _ range: StorageRange) throws(SQLiteError) -> Statement {
    var statement = try connection.prepare(sql)
    try statement.bind(range.lower.bytes, at: 1)
    if let upper = range.upper { try statement.bind(upper.bytes, at: 2) }
    return statement
  }

  /// Lends the value of a row: the long value in the next column, or else the short value.
  private func lend<Result>(
    _ row: borrowing Row, shortAt column: Int, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result {
    let lent = try row.withBlob(at: column + 1) { try body(unsafe $0._unsafeView(as: UInt8.self)) }
    if let lent { return lent }
    guard row.storageClass(at: column) == .blob,
      let lent = try row.withBlob(at: column, { try body(unsafe $0._unsafeView(as: UInt8.self)) })
    else {
      throw remember(
        StorageError(
          .damaged, "an entry has no value; check the store's integrity, and restore a backup",
          place: connection.location.description))
    }
    return lent
  }
}
