package import CloudRecords
package import SQLiteDriver

extension LedgerStateKey {
  fileprivate static let unreadable = "unreadable."
  fileprivate static let successor = "successor."
  fileprivate static let passedOver = "passedOver."

  /// What is wrong with a record that cannot be read.
  package static func unreadable(_ record: RecordIdentifier) -> Self {
    Self(unreadable + record.recordName)
  }

  /// That a record waits for the end of the feed, since it absorbed a duplicate that is unknown
  /// here.
  package static func successor(_ record: RecordIdentifier) -> Self {
    Self(successor + record.recordName)
  }

  /// The tag of a record of a public database that has become nothing here.
  package static func passedOver(_ record: RecordIdentifier) -> Self {
    Self(passedOver + record.recordName)
  }
}

extension Ledger {
  /// Some of the records that wait for the end of the feed.
  package func successorRecords(limit: Int) throws -> [RecordIdentifier] {
    try read { connection in
      var statement = try connection.prepare(Self.waitingSuccessors)
      try statement.bind(limit, at: 1)
      var found: [RecordIdentifier] = []
      while try statement.step() {
        let name = String(
          (statement.row.text(at: 0) ?? "").dropFirst(LedgerStateKey.successor.count))
        found.append(RecordIdentifier(recordName: name, zone: options.homeZone))
      }
      return found
    }
  }

  /// All names that begin with the prefix: those from it to the one that ends with the character
  /// behind the point.
  package static let waitingSuccessors =
    "SELECT name FROM PHM_STATE WHERE name >= 'successor.' AND name < 'successor/' ORDER BY "
    + "name LIMIT ?1"
}

extension Ledger {
  /// The records that cannot be read, with what is wrong.
  package func unreadableRecords() throws -> [RecordIdentifier: String] {
    let byName = try read { try $0.unreadable() }
    return Dictionary(
      uniqueKeysWithValues: byName.map {
        (RecordIdentifier(recordName: $0.key, zone: options.homeZone), $0.value)
      })
  }

  /// The records of a public database that have become nothing here, with their tags.
  package func passedOver() throws -> [RecordIdentifier: String] {
    let byName = try read { try $0.texts(LedgerStateKey.passedOver) }
    return Dictionary(
      uniqueKeysWithValues: byName.map {
        (RecordIdentifier(recordName: $0.key, zone: options.homeZone), $0.value)
      })
  }
}

extension Connection {
  /// The names of the records that cannot be read, with what is wrong.
  package func unreadable() throws(SQLiteError) -> [String: String] {
    try texts(LedgerStateKey.unreadable)
  }
}
