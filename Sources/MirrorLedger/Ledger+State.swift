package import CloudRecords
package import Foundation
package import MirrorModel
package import SQLiteDriver
import SQLiteStore

/// The stored state of mirroring.
extension Ledger {
  /// Returns a value of the state; nil if it is not set.
  package func state(_ key: LedgerStateKey) throws -> Value? {
    try store.pool.read { try $0.state(key) }
  }

  /// Returns a date of the state.
  package func date(_ key: LedgerStateKey) throws -> Date? {
    guard case .real(let seconds)? = try state(key) else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// Sets values of the state; NULL removes one.
  package func setState(_ values: [LedgerStateKey: Value]) throws {
    try write { connection in for (key, value) in values { try connection.setState(key, to: value) }
    }
  }

  /// Returns the token of a zone's feed; nil if the zone was not read yet.
  package func zoneToken(_ zone: RecordZoneIdentifier) throws -> [UInt8]? {
    try store.pool.read { try $0.token(of: zone) }
  }

  /// Whether a value of the state is set for any zone, including the home zone.
  package func hasState(_ key: LedgerStateKey) throws -> Bool { try read { try $0.hasState(key) } }

  /// Sets the token of a zone's feed, together with values of the state.
  ///
  /// Nil restarts the feed.
  package func setZoneToken(
    _ token: [UInt8]?, of zone: RecordZoneIdentifier, setting state: [LedgerStateKey: Value] = [:]
  ) throws {
    try write { connection in
      var zones = ZoneNumbers(connection)
      try connection.setToken(token, ofZone: zones.number(of: zone))
      for (key, value) in state { try connection.setState(key, to: value) }
    }
  }

  // MARK: Journal and events

  /// The entries of the journal before a number, newest first.
  package func journal(before number: Int64? = nil, limit: Int) throws -> [JournalEntry] {
    try read { try JournalTable(names, $0).entries(before: number, limit: limit) }
  }

  /// Adds entries to the journal.
  package func note(_ entries: [JournalEntry]) throws {
    try write { try JournalTable(names, $0).append(entries) }
  }

  /// Records whether an overwritten value was restored.
  package func setUndone(_ isUndone: Bool, _ number: Int64) throws {
    try write {
      try $0.run("UPDATE PHM_JOURNAL SET undone = ?1 WHERE number = ?2", isUndone ? 1 : 0, number)
    }
  }

  /// Begins an event, or ends the one with the same identifier, and sets values of the state.
  package func note(_ event: LedgerEvent, setting values: [LedgerStateKey: Value] = [:]) throws {
    try writeUnawaited { connection in
      try EventTable(connection: connection).note(event)
      for (key, value) in values { try connection.setState(key, to: value) }
    }
  }

  /// Records the token of the database's feed; if it is lost, the changes are read again.
  package func setDatabaseToken(_ text: String) throws {
    try writeUnawaited { try $0.setState(.databaseToken, to: .text(text)) }
  }

  /// Returns the events that began at a date or later, oldest first.
  package func events(from date: Date? = nil, limit: Int? = nil) throws -> [LedgerEvent] {
    try read { try EventTable(connection: $0).events(from: date, limit: limit) }
  }
}
