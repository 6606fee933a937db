import CloudRecords
import MirrorModel
import SQLiteDriver

/// The merged duplicates: winners and the losers that they absorbed, in an open transaction.
struct DuplicateTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  package static let any = "SELECT 1 FROM PHM_DUPLICATE LIMIT 1"
  static let anyUnsent = "SELECT 1 FROM PHM_DUPLICATE WHERE sent = 0 LIMIT 1"
  static let ofWinner =
    "SELECT loser, attributes, sent FROM PHM_DUPLICATE WHERE zone = ?1 AND name = ?2 ORDER "
    + "BY number"

  /// Returns the duplicates that a record absorbed, in the order of their discovery.
  package func mergedDuplicates(of winner: RecordIdentifier, _ zones: inout ZoneNumbers) throws
    -> [MergedDuplicate]
  {
    guard let zone = try zones.present(winner.zone) else { return [] }
    var statement = try connection.prepare(Self.ofWinner)
    try statement.bind(zone, RecordName(winner.recordName))
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

  /// Finds the pending winners that, as far as the server knows, have not absorbed a loser.
  static let pendingWinners =
    "SELECT s.name FROM PHM_DUPLICATE s JOIN PHM_OBJECT o ON o.zone = s.zone AND o.name = s.name "
    + "WHERE s.zone = ?1 AND s.loser = ?2 AND s.sent = 0 AND o.pending IN (0, 1) ORDER BY "
    + "s.number"

  /// Returns the records that absorbed one.
  package func winners(
    of loser: RecordIdentifier, _ sql: String, _ zones: inout ZoneNumbers
  ) throws -> [RecordIdentifier] {
    guard let zone = try zones.present(loser.zone) else { return [] }
    var statement = try connection.prepare(sql)
    try statement.bind(zone, RecordName(loser.recordName))
    var found: [RecordIdentifier] = []
    while try statement.step() {
      guard let name = RecordName(statement.row, at: 0) else { continue }
      found.append(RecordIdentifier(recordName: name.text, zone: loser.zone))
    }
    return found
  }

  /// Adds a duplicate; a sent one stays sent.
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

  /// Marks duplicates as sent if their winner has no pending changes.
  func noteAcknowledged() throws { try connection.execute(Self.acknowledging) }

  package static let loser =
    "UPDATE PHM_DUPLICATE SET sent = 1 WHERE (zone, loser) IN "
    + "(SELECT zone, name FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2)"

  /// Marks duplicates as sent if the server deleted the loser: another device sent the winner.
  func noteGone(_ entity: Int64, _ key: Int64) throws {
    try connection.run(Self.loser, entity, key)
  }

  /// Drops the duplicates of a winner.
  package func forget(_ winner: RecordIdentifier, _ zones: inout ZoneNumbers) throws {
    try connection.run(
      "DELETE FROM PHM_DUPLICATE WHERE zone = ? AND name = ?",
      [.integer(zones.number(of: winner.zone)), RecordName(winner.recordName).value])
  }

  /// Drops the duplicates of removed winners, unless such a winner is itself an unsent loser.
  ///
  /// Such a winner may come back, and then needs its duplicates.
  func dropRemovedWinners() throws {
    try connection.execute(
      "DELETE FROM PHM_DUPLICATE WHERE NOT EXISTS(SELECT 1 FROM PHM_OBJECT o WHERE o.zone = "
        + "PHM_DUPLICATE.zone "
        + "AND o.name = PHM_DUPLICATE.name) AND NOT EXISTS(SELECT 1 FROM PHM_DUPLICATE s "
        + "WHERE s.sent = 0 "
        + "AND s.zone = PHM_DUPLICATE.zone AND s.loser = PHM_DUPLICATE.name)")
  }
}
