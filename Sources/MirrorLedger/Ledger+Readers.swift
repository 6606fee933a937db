package import CloudRecords
package import SQLiteDriver

extension LedgerStateKey {
  /// When a user began to read a public database.
  package static func readerSince(_ name: String) -> Self { Self("readerSince.\(name)") }
}

/// The records that each user of a public database received; several users may use one store.
///
/// If a user no longer receives a record that they received before, it was deleted. If they never
/// received it, they may have no permission to read it. Records that arrived without a user count
/// for every user, because all users may read them.
extension Ledger {
  /// Returns those of the records that a user received.
  ///
  /// - Parameter reader: The name of the user; nil without a signed-in user.
  package func received(_ records: [RecordIdentifier], to reader: String?) throws -> Set<
    RecordIdentifier
  > {
    try read { connection in
      try ReaderTable(connection).received(records, to: reader)
    }
  }

  /// Records that a user received records; unknown records are ignored.
  package func recordReceipts(_ records: [RecordIdentifier], to reader: String?) throws {
    let known = try received(records, to: reader)
    let news = records.filter { !known.contains($0) }
    guard !news.isEmpty else { return }
    try write { connection in
      try ReaderTable(connection).note(ReaderReceipt(records: news, reader: reader))
    }
  }
}

/// The records of a public database that an import delivers to a user.
package struct ReaderReceipt: Sendable {
  package let records: [RecordIdentifier]
  /// The name of the user; nil without a signed-in user.
  package let reader: String?

  package init(records: [RecordIdentifier], reader: String?) {
    self.records = records
    self.reader = reader
  }
}

/// A user who created records of a public database, and which of these they may read.
package struct RecordCreator: Sendable {
  /// The name of the user.
  package let name: String
  package let readable: Set<RecordIdentifier>

  package init(name: String, readable: Set<RecordIdentifier>) {
    self.name = name
    self.readable = readable
  }
}

/// The readers of a public database, in an open transaction.
package struct ReaderTable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the bit of a reader; nil if they never received a record, or their bit was reused.
  package func bit(of reader: String?) throws(SQLiteError) -> Int64? {
    guard
      let number = try connection.number(
        "SELECT number FROM PHM_READER WHERE name = ?", [.text(reader ?? "")]),
      LedgerLimits.readers.contains(number)
    else { return nil }
    return 1 << number
  }

  /// Returns the bits that count for a reader: their own, and the bit of records without a user.
  package func bits(of reader: String?) throws(SQLiteError) -> Int64 {
    (try bit(of: reader) ?? 0) | (try bit(of: nil) ?? 0)
  }

  /// Returns the bit of a reader, and assigns one if needed.
  ///
  /// If no bit is free, the bit of the longest absent reader is reused. Records that only this one
  /// received then stay here even if they are deleted, unless a user receives them again.
  func newBit(of reader: String?) throws -> Int64 {
    if let bit = try bit(of: reader) { return bit }
    let number = try connection.number(Self.freeNumber) ?? forgetLongestUnused()
    try connection.run(
      "INSERT OR REPLACE INTO PHM_READER(number, name) VALUES(?, ?)",
      [.integer(number), .text(reader ?? "")])
    return 1 << number
  }

  private static let freeNumber =
    "SELECT next FROM (SELECT ifnull(max(number), 0) + 1 AS next FROM PHM_READER) "
    + "WHERE next <= \(LedgerLimits.readers.upperBound)"

  /// The longest absent reader; never the bit of records without a user, which counts for all.
  private static let longestUnused =
    "SELECT r.number FROM PHM_READER r LEFT JOIN PHM_STATE s ON s.name = 'readerSince.' || r.name "
    + "WHERE r.name <> '' AND r.number <= \(LedgerLimits.readers.upperBound) "
    + "ORDER BY ifnull(s.value, 0), r.number LIMIT 1"

  private func forgetLongestUnused() throws -> Int64 {
    let number = try connection.number(Self.longestUnused) ?? LedgerLimits.readers.lowerBound
    let bit: Int64 = 1 << number
    for table in ["PHM_OBJECT_SYSTEM", "PHM_PAIR_SYSTEM"] {
      try connection.run("UPDATE \(table) SET readers = readers & ~?1 WHERE readers & ?1", bit)
    }
    return number
  }

  package static let received = [
    "SELECT f.readers FROM PHM_OBJECT o JOIN PHM_OBJECT_SYSTEM f ON f.entity = o.entity AND "
      + "f.key = o.key "
      + "WHERE o.zone = ?1 AND o.name = ?2 AND f.readers & ?3",
    "SELECT f.readers FROM PHM_PAIR p JOIN PHM_PAIR_SYSTEM f ON f.relationship = "
      + "p.relationship AND f.first = p.first "
      + "AND f.second = p.second WHERE p.zone = ?1 AND p.name = ?2 AND f.readers & ?3",
  ]

  /// Returns those of the records that a reader received, or that arrived without a user.
  package func received(_ records: [RecordIdentifier], to reader: String?) throws -> Set<
    RecordIdentifier
  > {
    let bits = try bits(of: reader)
    guard bits != 0 else { return [] }
    var zones = ZoneNumbers(connection)
    var found: Set<RecordIdentifier> = []
    for record in records {
      guard let zone = try zones.present(record.zone) else { continue }
      for sql in Self.received {
        var statement = try connection.prepare(sql)
        try statement.bind(zone, RecordName(record.recordName), bits)
        if try statement.step() { found.insert(record) }
      }
    }
    return found
  }

  static let noting = setting("ifnull(readers, 0) | ?3")
  package static let making = setting("?3")

  private static func setting(_ readers: String) -> [String] {
    [
      "UPDATE PHM_OBJECT_SYSTEM SET readers = \(readers) WHERE (entity, key) = "
        + "(SELECT entity, key FROM PHM_OBJECT WHERE zone = ?1 AND name = ?2)",
      "UPDATE PHM_PAIR_SYSTEM SET readers = \(readers) WHERE (relationship, first, second) = "
        + "(SELECT relationship, first, second FROM PHM_PAIR WHERE zone = ?1 AND name = ?2)",
    ]
  }

  /// Records that a reader received records.
  package func note(_ telling: ReaderReceipt) throws {
    let known = try received(telling.records, to: telling.reader)
    let news = telling.records.filter { !known.contains($0) }
    if !news.isEmpty { try run(Self.noting, news, newBit(of: telling.reader)) }
  }

  /// Marks a record as created by a user.
  ///
  /// No other reader received it, even if they received an earlier record with this name.
  func recordCreation(_ record: RecordIdentifier, by maker: RecordCreator) throws {
    let bit = maker.readable.contains(record) ? try newBit(of: maker.name) : nil
    try run(Self.making, [record], bit ?? 0)
  }

  private func run(_ statements: [String], _ records: [RecordIdentifier], _ bit: Int64) throws {
    var zones = ZoneNumbers(connection)
    for record in records {
      guard let zone = try zones.present(record.zone) else { continue }
      for sql in statements {
        var statement = try connection.prepare(sql)
        try statement.bind(zone, RecordName(record.recordName), bit)
        try statement.run()
      }
    }
  }
}
