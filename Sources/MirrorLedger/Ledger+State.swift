package import CloudRecords
package import Foundation
package import MirrorModel
package import SQLiteDriver

/// What the engine keeps in the store's file.
extension Ledger {
  /// A value of the state; nil where there is none.
  package func state(_ key: LedgerStateKey) throws -> Value? { try read { try $0.state(key) } }

  /// A moment among the state.
  package func date(_ key: LedgerStateKey) throws -> Date? {
    guard case .real(let seconds)? = try state(key) else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// Sets values of the state; NULL forgets one.
  package func setState(_ values: [LedgerStateKey: Value]) throws {
    try write { connection in for (key, value) in values { try connection.setState(key, to: value) }
    }
  }

  /// The zones that the ledger knows, with the positions in their feeds.
  package func zones() throws -> [RecordZoneIdentifier: [UInt8]?] {
    try read { connection in
      var zones: [RecordZoneIdentifier: [UInt8]?] = [:]
      var statement = try connection.prepare("SELECT owner, name, token FROM PHM_ZONE")
      while try statement.step() {
        let zone = RecordZoneIdentifier(
          zoneName: statement.row.text(at: 1) ?? "", ownerName: statement.row.text(at: 0) ?? "")
        zones[zone] = .some(statement.row.blob(at: 2))
      }
      return zones
    }
  }

  /// Sets the position in the feed of a zone, and values of the state with it; nil restarts the
  /// feed.
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

  /// Notes whether an overwritten value was brought back.
  package func setUndone(_ isUndone: Bool, _ number: Int64) throws {
    try write {
      try $0.run("UPDATE PHM_JOURNAL SET undone = ?1 WHERE number = ?2", isUndone ? 1 : 0, number)
    }
  }

  /// Begins an event, or ends the one with the same identifier, and sets values of the state with
  /// it.
  package func note(_ event: LedgerEvent, setting values: [LedgerStateKey: Value] = [:]) throws {
    try writeUnawaited { connection in
      try EventTable(connection: connection).note(event)
      for (key, value) in values { try connection.setState(key, to: value) }
    }
  }

  /// Notes up to where the feed of the database was read; what is lost of it is read again.
  package func setDatabaseToken(_ text: String) throws {
    try writeUnawaited { try $0.setState(.databaseToken, to: .text(text)) }
  }

  /// The events that began at a moment or later, oldest first.
  package func events(from date: Date? = nil, limit: Int? = nil) throws -> [LedgerEvent] {
    try read { try EventTable(connection: $0).events(from: date, limit: limit) }
  }
}
