internal import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Checks one snapshot of the store for damage, while the store is in use.
  ///
  /// - Parameter isThorough: Whether SQLite's indexes are compared with their tables too, which
  ///   takes several times as long.
  /// - Returns: The issues as sentences; empty if the store is sound.
  package func issues(isThorough: Bool = false) async throws -> [String] {
    try await maintain { [folder] _ in
      try StoreCheck.issues(
        in: StoreConnection.openReader(folder.database), isThorough ? .full : .quick)
    }
  }
}

/// Checks the invariants of a store that SQLite's integrity check does not cover.
enum StoreCheck {
  static func issues(in connection: Connection, _ check: IntegrityCheck) throws -> [String] {
    try connection.begin(.deferred)
    // Nothing was written, and in a damaged file even an empty commit can fail.
    defer { do { try connection.rollback() } catch {} }
    let damage = try damage(of: connection, check)
    guard damage.isEmpty else { return damage }
    return try rules.compactMap { sentence, sql in
      guard case .integer(let count) = try connection.value(sql), count > 0 else { return nil }
      return "\(count) \(sentence)"
    }
  }

  /// The issues that SQLite finds.
  ///
  /// It reports the worst damage as an error.
  private static func damage(of connection: Connection, _ check: IntegrityCheck) throws -> [String]
  {
    do {
      return try connection.issues(check)
    } catch  where error.code.primary == .corrupt {
      return [error.message]
    }
  }

  private static let rules = [
    (
      "entries have a value that is neither bytes nor the number of a long value",
      "SELECT count(*) FROM entries WHERE typeof(value) NOT IN ('blob', 'integer')"
    ),
    (
      "entries have a long value that is missing",
      """
      SELECT count(*) FROM entries
      WHERE typeof(value) = 'integer' AND NOT EXISTS (SELECT 1 FROM long_values WHERE id = entries.value)
      """
    ),
    (
      "entries share a long value with another one",
      "SELECT count(*) - count(DISTINCT value) FROM entries WHERE typeof(value) = 'integer'"
    ),
    (
      "long values belong to no entry",
      "SELECT count(*) FROM long_values WHERE id NOT IN (SELECT value FROM entries WHERE typeof(value) = 'integer')"
    ),
  ]
}
