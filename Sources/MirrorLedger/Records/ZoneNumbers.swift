package import CloudRecords
package import SQLiteDriver

/// The numbers of zones, within one transaction.
struct ZoneNumbers {
  private let connection: Connection
  private var known: [RecordZoneIdentifier: Int64] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Returns the number of a zone, and assigns one if needed.
  package mutating func number(of zone: RecordZoneIdentifier) throws(SQLiteError) -> Int64 {
    if let number = try present(zone) { return number }
    try connection.run(
      "INSERT INTO PHM_ZONE(owner, name) VALUES(?, ?)",
      [.text(zone.ownerName), .text(zone.zoneName)])
    let number = connection.lastInsertedRowID
    known[zone] = number
    return number
  }

  /// Returns the number of a zone; nil if the ledger does not know it.
  package mutating func present(_ zone: RecordZoneIdentifier) throws(SQLiteError) -> Int64? {
    if let number = known[zone] { return number }
    let number = try connection.number(
      "SELECT number FROM PHM_ZONE WHERE owner = ? AND name = ?",
      [.text(zone.ownerName), .text(zone.zoneName)])
    known[zone] = number
    return number
  }
}

extension Connection {
  /// All zones by number.
  package func zones() throws(SQLiteError) -> [Int64: RecordZoneIdentifier] {
    var zones: [Int64: RecordZoneIdentifier] = [:]
    var statement = try prepare("SELECT number, owner, name FROM PHM_ZONE")
    while try statement.step() {
      zones[statement.row.int64(at: 0)] = RecordZoneIdentifier(
        zoneName: statement.row.text(at: 2) ?? "", ownerName: statement.row.text(at: 1) ?? "")
    }
    return zones
  }

  /// Sets the position in the feed of a zone.
  func setToken(_ token: [UInt8]?, ofZone number: Int64) throws(SQLiteError) {
    try run(
      "UPDATE PHM_ZONE SET token = ? WHERE number = ?",
      [token.map(Value.blob) ?? .null, .integer(number)])
  }
}
