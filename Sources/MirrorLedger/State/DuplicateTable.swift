import CloudRecords
import MirrorModel
import SQLiteDriver

/// Which records stand for others, over a connection whose transaction is open.
struct DuplicateTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  package static let any = "SELECT 1 FROM PHM_DUPLICATE LIMIT 1"
  static let anyUnsent = "SELECT 1 FROM PHM_DUPLICATE WHERE sent = 0 LIMIT 1"
  static let ofWinner =
    "SELECT loser, attributes, sent FROM PHM_DUPLICATE WHERE zone = ?1 AND name = ?2 ORDER "
    + "BY number"

  /// Whom a record stands for, in the order in which that became known.
  package func mergedDuplicates(of winner: RecordIdentifier, _ zones: inout ZoneNumbers) throws
    -> [MergedDuplicate]
  {
    guard let zone = try zones.present(winner.zone) else { return [] }
    var statement = try connection.prepare(Self.ofWinner)
    try statement.bind(zone, at: 1)
    try statement.bind(RecordName(winner.recordName), at: 2)
    var found: [MergedDuplicate] = []
    while try statement.step() {
      guard let loser = RecordName(statement.row, at: 0) else { continue }
      let attributes = (statement.row.text(at: 1) ?? "").split(separator: "\n").map(String.init)
      found.append(
        MergedDuplicate(
          winner: winner, loser: loser.text, constraint: attributes,
          isSent: statement.row.int64(at: 2) != 0))
    }
    return found
  }

  static let ofLoser =
    "SELECT name FROM PHM_DUPLICATE WHERE zone = ?1 AND loser = ?2 ORDER BY number"

  /// Those of them that wait to be sent, and of which the server does not know whom they stand for.
  static let promising =
    "SELECT s.name FROM PHM_DUPLICATE s JOIN PHM_OBJECT o ON o.zone = s.zone AND o.name = s.name "
    + "WHERE s.zone = ?1 AND s.loser = ?2 AND s.sent = 0 AND o.pending IN (0, 1) ORDER BY "
    + "s.number"

  /// The records that stand for one.
  package func winners(
    of loser: RecordIdentifier, _ sql: String, _ zones: inout ZoneNumbers
  ) throws -> [RecordIdentifier] {
    guard let zone = try zones.present(loser.zone) else { return [] }
    var statement = try connection.prepare(sql)
    try statement.bind(zone, at: 1)
    try statement.bind(RecordName(loser.recordName), at: 2)
    var found: [RecordIdentifier] = []
    while try statement.step() {
      guard let name = RecordName(statement.row, at: 0) else { continue }
      found.append(RecordIdentifier(recordName: name.text, zone: loser.zone))
    }
    return found
  }

  /// Notes one; what the server is known to have stays so.
  package func note(_ duplicate: MergedDuplicate, _ zones: inout ZoneNumbers) throws {
    try connection.run(
      "INSERT INTO PHM_DUPLICATE(zone, name, loser, attributes, sent) VALUES(?, ?, ?, ?, ?) "
        + "ON CONFLICT(zone, name, loser) DO UPDATE SET sent = max(sent, excluded.sent)",
      [
        .integer(zones.number(of: duplicate.winner.zone)),
        RecordName(duplicate.winner.recordName).value,
        RecordName(duplicate.loser).value, .text(duplicate.constraint.joined(separator: "\n")),
        .integer(duplicate.isSent ? 1 : 0),
      ])
  }

  static let acknowledging =
    "UPDATE PHM_DUPLICATE SET sent = 1 WHERE sent = 0 AND EXISTS(SELECT 1 FROM PHM_OBJECT o "
    + "WHERE o.zone = PHM_DUPLICATE.zone AND o.name = PHM_DUPLICATE.name AND o.pending IS NULL)"

  /// The server has all records of which nothing waits.
  func noteAcknowledged() throws { try connection.execute(Self.acknowledging) }

  package static let loser =
    "UPDATE PHM_DUPLICATE SET sent = 1 WHERE (zone, loser) IN "
    + "(SELECT zone, name FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2)"

  /// The server deleted the record of an object: the device that merged it has sent its winner.
  func noteGone(_ entity: Int64, _ key: Int64) throws {
    try connection.run(Self.loser, entity, key)
  }

  /// Forgets whom a record stood for.
  package func forget(_ winner: RecordIdentifier, _ zones: inout ZoneNumbers) throws {
    try connection.run(
      "DELETE FROM PHM_DUPLICATE WHERE zone = ? AND name = ?",
      [.integer(zones.number(of: winner.zone)), RecordName(winner.recordName).value])
  }

  /// Forgets whom records stood for that are not there any more, but for those of whom it may have
  /// to be known who comes back.
  func forgetVanished() throws {
    try connection.execute(
      "DELETE FROM PHM_DUPLICATE WHERE NOT EXISTS(SELECT 1 FROM PHM_OBJECT o WHERE o.zone = "
        + "PHM_DUPLICATE.zone "
        + "AND o.name = PHM_DUPLICATE.name) AND NOT EXISTS(SELECT 1 FROM PHM_DUPLICATE s "
        + "WHERE s.sent = 0 "
        + "AND s.zone = PHM_DUPLICATE.zone AND s.loser = PHM_DUPLICATE.name)")
  }
}
