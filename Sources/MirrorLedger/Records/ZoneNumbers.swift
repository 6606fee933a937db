import CloudRecords
import SQLiteDriver

/// The numbers of zones, within one transaction.
struct ZoneNumbers {
  static let byIdentifier = "SELECT number FROM PHM_ZONE WHERE owner = ? AND name = ?"

  private let connection: Connection
  private var known: [RecordZoneIdentifier: Int64] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Returns the number of a zone, and assigns one if needed.
  mutating func number(of zone: RecordZoneIdentifier) throws(SQLiteError) -> Int64 {
    if let number = try present(zone) { return number }
    try connection.run(
      "INSERT INTO PHM_ZONE(owner, name) VALUES(?, ?)",
      [.text(zone.ownerName), .text(zone.zoneName)])
    let number = connection.lastInsertedRowID
    known[zone] = number
    return number
  }

  /// Returns the number of a zone; nil if the ledger does not know it.
  mutating func present(_ zone: RecordZoneIdentifier) throws(SQLiteError) -> Int64? {
    if let number = known[zone] { return number }
    let number = try connection.number(
      Self.byIdentifier, [.text(zone.ownerName), .text(zone.zoneName)])
    known[zone] = number
    return number
  }
}

/// The identifiers of zones by number, each read once within one transaction.
///
/// A store may have a thousand zones, and a change concerns few of them.
final class ZoneIdentifiers {
  static let byNumber = "SELECT owner, name FROM PHM_ZONE WHERE number = ?1"

  private let connection: Connection
  private var known: [Int64: RecordZoneIdentifier] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Returns the identifier of a zone; nil if the ledger does not know the number.
  subscript(number: Int64) -> RecordZoneIdentifier? {
    get throws(SQLiteError) {
      if let zone = known[number] { return zone }
      var statement = try connection.prepare(Self.byNumber)
      try statement.bind(number, at: 1)
      guard try statement.step() else { return nil }
      let zone = RecordZoneIdentifier(
        zoneName: statement.row.text(at: 1) ?? "", ownerName: statement.row.text(at: 0) ?? "")
      known[number] = zone
      return zone
    }
  }
}

extension Connection {
  static let tokenOfZone = "SELECT token FROM PHM_ZONE WHERE owner = ?1 AND name = ?2"

  /// Returns the token of a zone's feed; nil if there is none.
  func token(of zone: RecordZoneIdentifier) throws(SQLiteError) -> [UInt8]? {
    let value = try value(Self.tokenOfZone, [.text(zone.ownerName), .text(zone.zoneName)])
    if case .blob(let token)? = value { return token }
    return nil
  }

  /// Sets the token of a zone's feed.
  func setToken(_ token: [UInt8]?, ofZone number: Int64) throws(SQLiteError) {
    try run(
      "UPDATE PHM_ZONE SET token = ? WHERE number = ?",
      [token.map(Value.blob) ?? .null, .integer(number)])
  }
}
