package import CloudRecords
import SQLiteDriver

extension LedgerStateKey {
  /// When a user has come to read a public database.
  package static func readerSince(_ name: String) -> Self { Self("readerSince.\(name)") }
}

/// Which records of a public database were told to whom; one store may have several users, one
/// after the other, and be read by nobody in particular: what was told to nobody, everybody was
/// told, since all may read it.
///
/// Who does not hear of a record that they were told before knows that it is gone. Of one that they
/// were never told nobody knows: it may be none of theirs to read.
extension Ledger {
  /// Which of some records of objects and pairs somebody was told.
  ///
  /// - Parameter reader: The name of the user; nil for who is not signed in.
  package func told(_ records: [RecordIdentifier], to reader: String?) throws -> Set<
    RecordIdentifier
  > {
    try read { connection in
      try ReaderTable(connection).told(records, to: reader)
    }
  }

  /// Notes that somebody was told some records; those that stand for nothing here are passed over.
  package func noteTold(_ records: [RecordIdentifier], to reader: String?) throws {
    let known = try told(records, to: reader)
    let news = records.filter { !known.contains($0) }
    guard !news.isEmpty else { return }
    try write { connection in
      try ReaderTable(connection).note(Telling(records: news, reader: reader))
    }
  }
}

/// Which records of a public database somebody is told with what is taken over of them.
package struct Telling: Sendable {
  let records: [RecordIdentifier]
  /// The name of the user; nil for who is not signed in.
  let reader: String?
}

/// Who has made records of a public database, and which of these they may read.
package struct Maker: Sendable {
  /// The name of the user.
  let name: String
  let readable: Set<RecordIdentifier>
}

/// The readers of a public database, over a connection whose transaction is open.
struct ReaderTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The bit that stands for a reader; nil where nothing was ever told to them, or that was
  /// forgotten.
  func bit(of reader: String?) throws(SQLiteError) -> Int64? {
    guard
      let number = try connection.number(
        "SELECT number FROM PHM_READER WHERE name = ?", [.text(reader ?? "")]),
      LedgerLimits.readers.contains(number)
    else { return nil }
    return 1 << number
  }

  /// The bits of which any says that a reader was told: their own, and that of nobody in
  /// particular.
  func bits(of reader: String?) throws(SQLiteError) -> Int64 {
    (try bit(of: reader) ?? 0) | (try bit(of: nil) ?? 0)
  }

  /// The bit of a reader, who gets one where they have none.
  ///
  /// Where there is room for no more, the bit is that of whoever has not read for longest. What was
  /// told to that one is forgotten: it stays here until they come again, and are told everything
  /// anew.
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

  /// Never that of nobody in particular, which counts for everybody.
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

  static let told = [
    "SELECT f.readers FROM PHM_OBJECT o JOIN PHM_OBJECT_SYSTEM f ON f.entity = o.entity AND f.key = o.key "
      + "WHERE o.zone = ?1 AND o.name = ?2 AND f.readers & ?3",
    "SELECT f.readers FROM PHM_PAIR p JOIN PHM_PAIR_SYSTEM f ON f.relationship = p.relationship AND f.first = p.first "
      + "AND f.second = p.second WHERE p.zone = ?1 AND p.name = ?2 AND f.readers & ?3",
  ]

  /// Which of some records a reader was told, or nobody in particular.
  func told(_ records: [RecordIdentifier], to reader: String?) throws -> Set<RecordIdentifier> {
    let bits = try bits(of: reader)
    guard bits != 0 else { return [] }
    var zones = ZoneNumbers(connection)
    var found: Set<RecordIdentifier> = []
    for record in records {
      guard let zone = try zones.present(record.zone) else { continue }
      for sql in Self.told {
        var statement = try connection.prepare(sql)
        try statement.bind(zone, at: 1)
        try statement.bind(RecordName(record.recordName), at: 2)
        try statement.bind(bits, at: 3)
        if try statement.step() { found.insert(record) }
      }
    }
    return found
  }

  static let noting = setting("ifnull(readers, 0) | ?3")
  static let making = setting("?3")

  private static func setting(_ readers: String) -> [String] {
    [
      "UPDATE PHM_OBJECT_SYSTEM SET readers = \(readers) WHERE (entity, key) = "
        + "(SELECT entity, key FROM PHM_OBJECT WHERE zone = ?1 AND name = ?2)",
      "UPDATE PHM_PAIR_SYSTEM SET readers = \(readers) WHERE (relationship, first, second) = "
        + "(SELECT relationship, first, second FROM PHM_PAIR WHERE zone = ?1 AND name = ?2)",
    ]
  }

  /// Notes that a reader was told some records.
  func note(_ telling: Telling) throws {
    let known = try told(telling.records, to: telling.reader)
    let news = telling.records.filter { !known.contains($0) }
    if !news.isEmpty { try run(Self.noting, news, newBit(of: telling.reader)) }
  }

  /// Notes that a record has come into being: nobody else was told of it, whoever was told of a
  /// former one of the name.
  func noteMade(_ record: RecordIdentifier, by maker: Maker) throws {
    let bit = maker.readable.contains(record) ? try newBit(of: maker.name) : nil
    try run(Self.making, [record], bit ?? 0)
  }

  private func run(_ statements: [String], _ records: [RecordIdentifier], _ bit: Int64) throws {
    var zones = ZoneNumbers(connection)
    for record in records {
      guard let zone = try zones.present(record.zone) else { continue }
      for sql in statements {
        var statement = try connection.prepare(sql)
        try statement.bind(zone, at: 1)
        try statement.bind(RecordName(record.recordName), at: 2)
        try statement.bind(bit, at: 3)
        try statement.run()
      }
    }
  }
}
