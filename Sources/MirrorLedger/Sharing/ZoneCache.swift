import CloudRecords
import ObjectRows
import SQLiteDriver

/// The zones that a transaction uses, each read once, because a store may have a thousand.
final class ZoneCache {
  private struct Zone {
    let identifier: RecordZoneIdentifier
    let hasShare: Bool
    let isReadOnly: Bool
  }

  let homeZone: Int64
  /// Whether the zones are the user's own, not zones of other users' shares.
  private(set) var areOwn = true
  /// A zone whose objects are about to move to the home zone.
  private let leaving: Int64?
  private let names: LedgerNames
  private let connection: Connection
  private var known: [Int64: Zone] = [:]

  init(
    _ names: LedgerNames, homeZone: Int64, leaving: Int64? = nil, _ connection: Connection
  ) throws {
    (self.names, self.homeZone, self.leaving) = (names, homeZone, leaving)
    self.connection = connection
    areOwn = try !identifier(homeZone).zoneName.isEmpty
  }

  // MARK: Objects

  static let ofObject = "SELECT zone FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2"
  static let reach = "SELECT reach FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2"

  /// The number of the zone that an object is still in; nil if it is not mirrored.
  ///
  /// The zone's share may have ended, or may not have arrived yet.
  func presentZone(of object: RowKey) throws -> Int64? { try number(Self.ofObject, object) }

  /// The number of the zone that an object belongs to; nil if it is not mirrored.
  ///
  /// Objects of own shares that ended are about to move to the home zone. Objects of other users'
  /// shares may arrive before the share.
  func zone(of object: RowKey) throws -> Int64? {
    guard let zone = try presentZone(of: object) else { return nil }
    if zone == leaving { return homeZone }
    return try areOwn && zone != homeZone && self.zone(zone)?.hasShare != true ? homeZone : zone
  }

  /// Whether the server may have an object.
  func isSent(_ object: RowKey) throws -> Bool { try number(Self.reach, object) ?? 0 > 0 }

  private func number(_ query: String, _ object: RowKey) throws -> Int64? {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return nil }
    return try connection.number(query, [.integer(entity), .integer(object.key)])
  }

  // MARK: Zones

  func isReadOnly(_ zone: Int64) throws -> Bool { try self.zone(zone)?.isReadOnly ?? false }

  func identifier(_ zone: Int64) throws -> RecordZoneIdentifier {
    try self.zone(zone)?.identifier ?? RecordZoneIdentifier(zoneName: "", ownerName: "")
  }

  private func zone(_ number: Int64) throws -> Zone? {
    if let zone = known[number] { return zone }
    var statement = try connection.prepare(
      "SELECT owner, name, share IS NOT NULL, readonly FROM PHM_ZONE WHERE number = ?1")
    try statement.bind(number, at: 1)
    guard try statement.step() else { return nil }
    let zone = Zone(
      identifier: RecordZoneIdentifier(
        zoneName: statement.row.text(at: 1) ?? "", ownerName: statement.row.text(at: 0) ?? ""),
      hasShare: statement.row.int64(at: 2) != 0, isReadOnly: statement.row.int64(at: 3) != 0)
    known[number] = zone
    return zone
  }
}
