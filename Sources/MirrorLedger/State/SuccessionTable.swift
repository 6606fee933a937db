import CloudRecords
import MirrorModel
import SQLiteDriver

/// Which records stand for others, over a connection whose transaction is open.
struct SuccessionTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  package static let any = "SELECT 1 FROM PHM_SUCCESSION LIMIT 1"
  static let anyUnsent = "SELECT 1 FROM PHM_SUCCESSION WHERE sent = 0 LIMIT 1"
  static let ofSurvivor =
    "SELECT departed, attributes, sent FROM PHM_SUCCESSION WHERE zone = ?1 AND name = ?2 ORDER "
    + "BY number"

  /// Whom a record stands for, in the order in which that became known.
  package func successions(of survivor: RecordIdentifier, _ zones: inout ZoneNumbers) throws
    -> [Succession]
  {
    guard let zone = try zones.present(survivor.zone) else { return [] }
    var statement = try connection.prepare(Self.ofSurvivor)
    try statement.bind(zone, at: 1)
    try statement.bind(RecordName(survivor.recordName), at: 2)
    var found: [Succession] = []
    while try statement.step() {
      guard let departed = RecordName(statement.row, at: 0) else { continue }
      let attributes = (statement.row.text(at: 1) ?? "").split(separator: "\n").map(String.init)
      found.append(
        Succession(
          survivor: survivor, departed: departed.text, constraint: attributes,
          isSent: statement.row.int64(at: 2) != 0))
    }
    return found
  }

  static let ofDeparted =
    "SELECT name FROM PHM_SUCCESSION WHERE zone = ?1 AND departed = ?2 ORDER BY number"

  /// Those of them that wait to be sent, and of which the server does not know whom they stand for.
  static let promising =
    "SELECT s.name FROM PHM_SUCCESSION s JOIN PHM_OBJECT o ON o.zone = s.zone AND o.name = s.name "
    + "WHERE s.zone = ?1 AND s.departed = ?2 AND s.sent = 0 AND o.pending IN (0, 1) ORDER BY "
    + "s.number"

  /// The records that stand for one.
  package func survivors(
    of departed: RecordIdentifier, _ sql: String, _ zones: inout ZoneNumbers
  ) throws -> [RecordIdentifier] {
    guard let zone = try zones.present(departed.zone) else { return [] }
    var statement = try connection.prepare(sql)
    try statement.bind(zone, at: 1)
    try statement.bind(RecordName(departed.recordName), at: 2)
    var found: [RecordIdentifier] = []
    while try statement.step() {
      guard let name = RecordName(statement.row, at: 0) else { continue }
      found.append(RecordIdentifier(recordName: name.text, zone: departed.zone))
    }
    return found
  }

  /// Notes one; what the server is known to have stays so.
  package func note(_ succession: Succession, _ zones: inout ZoneNumbers) throws {
    try connection.run(
      "INSERT INTO PHM_SUCCESSION(zone, name, departed, attributes, sent) VALUES(?, ?, ?, ?, ?) "
        + "ON CONFLICT(zone, name, departed) DO UPDATE SET sent = max(sent, excluded.sent)",
      [
        .integer(zones.number(of: succession.survivor.zone)),
        RecordName(succession.survivor.recordName).value,
        RecordName(succession.departed).value, .text(succession.constraint.joined(separator: "\n")),
        .integer(succession.isSent ? 1 : 0),
      ])
  }

  static let acknowledging =
    "UPDATE PHM_SUCCESSION SET sent = 1 WHERE sent = 0 AND EXISTS(SELECT 1 FROM PHM_OBJECT o "
    + "WHERE o.zone = PHM_SUCCESSION.zone AND o.name = PHM_SUCCESSION.name AND o.pending IS NULL)"

  /// The server has all records of which nothing waits.
  func noteAcknowledged() throws { try connection.execute(Self.acknowledging) }

  package static let departing =
    "UPDATE PHM_SUCCESSION SET sent = 1 WHERE (zone, departed) IN "
    + "(SELECT zone, name FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2)"

  /// The server deleted the record of an object: the device that merged it has sent its winner.
  func noteGone(_ entity: Int64, _ key: Int64) throws {
    try connection.run(Self.departing, entity, key)
  }

  /// Forgets whom a record stood for.
  package func forget(_ survivor: RecordIdentifier, _ zones: inout ZoneNumbers) throws {
    try connection.run(
      "DELETE FROM PHM_SUCCESSION WHERE zone = ? AND name = ?",
      [.integer(zones.number(of: survivor.zone)), RecordName(survivor.recordName).value])
  }

  /// Forgets whom records stood for that are not there any more, but for those of whom it may have
  /// to be known who comes back.
  func forgetVanished() throws {
    try connection.execute(
      "DELETE FROM PHM_SUCCESSION WHERE NOT EXISTS(SELECT 1 FROM PHM_OBJECT o WHERE o.zone = "
        + "PHM_SUCCESSION.zone "
        + "AND o.name = PHM_SUCCESSION.name) AND NOT EXISTS(SELECT 1 FROM PHM_SUCCESSION s "
        + "WHERE s.sent = 0 "
        + "AND s.zone = PHM_SUCCESSION.zone AND s.departed = PHM_SUCCESSION.name)")
  }
}
