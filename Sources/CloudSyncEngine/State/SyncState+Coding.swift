import CloudKitClient
import CloudRecords
import Foundation

/// The stored format of a state. Version 1:
///
/// | key | value |
/// |---|---|
/// | version | 1 |
/// | user, subscription, database | strings; absent if unknown |
/// | container, environment | strings; absent before the first sign-in |
/// | zones | names and owners of all zones below, by index |
/// | tokens | zone index, token |
/// | unfetched | zone indexes |
/// | expired | zone indexes |
/// | unread | zone index, names of undecryptable records, whether there are more; optional |
/// | zoneChanges | "save" or "delete", zone index |
/// | recordChanges | "save" or "delete", record name, zone index |
/// | untracked | whether the app has untracked changes |
///
/// Unknown keys are ignored. Other versions are rejected.
extension SyncState: Codable {
  private static let version = 1

  private struct Kept: Codable {
    struct Zone: Codable, Hashable {
      var name: String
      var owner: String
    }
    struct Token: Codable {
      var zone: Int
      var token: String
    }
    struct ZoneChange: Codable {
      var kind: PendingList<CKRecordZone.ID>.Kind
      var zone: Int
    }
    struct Unread: Codable {
      var zone: Int
      var names: [String]
      var areMore: Bool
    }
    struct RecordChange: Codable {
      var kind: PendingList<CKRecord.ID>.Kind
      var name: String
      var zone: Int
    }

    var version: Int
    var user: String?
    var container: String?
    var environment: String?
    var subscription: String?
    var database: String?
    var zones: [Zone] = []
    var tokens: [Token] = []
    var unfetched: [Int] = []
    var expired: [Int] = []
    var unread: [Unread]?
    var zoneChanges: [ZoneChange] = []
    var recordChanges: [RecordChange] = []
    var untracked: Bool
  }

  /// Assigns indexes to zones.
  private struct ZoneTable {
    var zones: [Kept.Zone] = []
    var indexes: [CKRecordZone.ID: Int] = [:]

    mutating func index(of zoneID: CKRecordZone.ID) -> Int {
      if let index = indexes[zoneID] { return index }
      indexes[zoneID] = zones.count
      zones.append(Kept.Zone(name: zoneID.zoneName, owner: zoneID.ownerName))
      return zones.count - 1
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var table = ZoneTable()
    var kept = Kept(
      version: Self.version, user: user, container: container?.container,
      environment: container?.environment.rawValue, subscription: subscriptionID,
      database: databaseToken,
      untracked: hasUntracked)
    let places = zoneTokens.sorted {
      ($0.key.zoneName, $0.key.ownerName) < ($1.key.zoneName, $1.key.ownerName)
    }
    kept.tokens = places.map { Kept.Token(zone: table.index(of: $0.key), token: $0.value) }
    kept.unfetched = unfetchedZones.map { table.index(of: $0) }
    let expired = expiredZones.sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }
    kept.expired = expired.map { table.index(of: $0) }
    let left = unread.sorted {
      ($0.key.zoneName, $0.key.ownerName) < ($1.key.zoneName, $1.key.ownerName)
    }
    if !left.isEmpty {
      kept.unread = left.map {
        Kept.Unread(
          zone: table.index(of: $0.key), names: $0.value.recordIDs.map(\.recordName),
          areMore: $0.value.areMore)
      }
    }
    kept.zoneChanges = zones.items.map {
      Kept.ZoneChange(kind: $0.kind, zone: table.index(of: $0.name))
    }
    kept.recordChanges = records.items.map {
      Kept.RecordChange(
        kind: $0.kind, name: $0.name.recordName, zone: table.index(of: $0.name.zoneID))
    }
    kept.zones = table.zones
    try kept.encode(to: encoder)
  }

  package init(from decoder: any Decoder) throws {
    try Self.checkVersion(of: decoder)
    let kept = try Kept(from: decoder)
    let zoneIDs = kept.zones.map { CKRecordZone.ID(received: $0.name, ownerName: $0.owner) }
    func zoneID(_ index: Int) throws -> CKRecordZone.ID {
      guard zoneIDs.indices.contains(index) else {
        throw Self.corrupted(decoder, "refers to zone \(index) of \(zoneIDs.count)")
      }
      return zoneIDs[index]
    }
    self.init()
    user = kept.user
    if let name = kept.container,
      let environment = kept.environment.flatMap(CloudEnvironment.init(rawValue:))
    {
      container = ContainerAddress(container: name, environment: environment)
    }
    subscriptionID = kept.subscription
    databaseToken = kept.database
    hasUntracked = kept.untracked
    for token in kept.tokens { zoneTokens[try zoneID(token.zone)] = token.token }
    unfetchedZones = try kept.unfetched.map(zoneID)
    expiredZones = Set(try kept.expired.map(zoneID))
    for left in kept.unread ?? [] {
      let zoneID = try zoneID(left.zone)
      let recordIDs = left.names.map { CKRecord.ID(received: $0, zoneID: zoneID) }
      take(Unread(recordIDs, areMore: left.areMore), of: zoneID)
    }
    for change in kept.zoneChanges { zones.add(.init(change.kind, try zoneID(change.zone))) }
    for change in kept.recordChanges {
      records.add(
        .init(change.kind, CKRecord.ID(received: change.name, zoneID: try zoneID(change.zone))))
    }
  }

  private enum VersionKey: String, CodingKey { case version }

  private static func checkVersion(of decoder: any Decoder) throws {
    let found = try decoder.container(keyedBy: VersionKey.self).decode(Int.self, forKey: .version)
    guard found == version else {
      throw corrupted(
        decoder,
        "has version \(found), but this library supports version \(version). Start without it to fetch everything again"
      )
    }
  }

  private static func corrupted(_ decoder: any Decoder, _ what: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "The state of the sync engine \(what)."))
  }
}
