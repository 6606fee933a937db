internal import RecordStorage

/// The SQL statements that read and write entries.
enum EntrySQL {
  /// Selects the short and the long value of an entry.
  ///
  /// The long value is null if the entry has none. Otherwise, its number is in place of the short
  /// one.
  static let value =
    "SELECT e.value, l.value FROM entries AS e LEFT JOIN long_values AS l ON l.id = e.value WHERE e.key = ?1"

  /// Selects the entries of a range: key, short value, long value.
  static func entries(isBounded: Bool, order: StorageOrder) -> String {
    switch (isBounded, order) {
    case (true, .ascending): boundedAscending
    case (true, .descending): boundedDescending
    case (false, .ascending): openAscending
    case (false, .descending): openDescending
    }
  }

  private static let all =
    "SELECT e.key, e.value, l.value FROM entries AS e LEFT JOIN long_values AS l ON l.id = e.value"
  private static let boundedAscending = all + " WHERE e.key >= ?1 AND e.key < ?2 ORDER BY e.key"
  private static let boundedDescending =
    all + " WHERE e.key >= ?1 AND e.key < ?2 ORDER BY e.key DESC"
  private static let openAscending = all + " WHERE e.key >= ?1 ORDER BY e.key"
  private static let openDescending = all + " WHERE e.key >= ?1 ORDER BY e.key DESC"

  /// Upserts a row, unless the key has a long value, which must be removed first.
  static let set =
    "INSERT INTO entries(key, value) VALUES (?1, ?2) "
    + "ON CONFLICT(key) DO UPDATE SET value = excluded.value WHERE typeof(entries.value) = 'blob'"
  static let replace = "UPDATE entries SET value = ?2 WHERE key = ?1"
  static let insertLongValue = "INSERT INTO long_values(value) VALUES (?1)"

  static let removeLongValue =
    "DELETE FROM long_values WHERE id = (SELECT value FROM entries WHERE key = ?1)"
  static let remove = "DELETE FROM entries WHERE key = ?1"

  static func removeLongValues(isBounded: Bool) -> String {
    isBounded ? removeLongValuesBounded : removeLongValuesOpen
  }
  static func removeEntries(isBounded: Bool) -> String { isBounded ? removeBounded : removeOpen }

  private static let removeBounded = "DELETE FROM entries WHERE key >= ?1 AND key < ?2"
  private static let removeOpen = "DELETE FROM entries WHERE key >= ?1"
  private static let removeLongValuesBounded =
    "DELETE FROM long_values WHERE id IN "
    + "(SELECT value FROM entries WHERE key >= ?1 AND key < ?2 AND typeof(value) = 'integer')"
  private static let removeLongValuesOpen =
    "DELETE FROM long_values WHERE id IN (SELECT value FROM entries WHERE key >= ?1 AND typeof(value) = 'integer')"
}
