import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// Pairs that two devices created without knowing of each other.
@Suite("Two records of a pair", .endsAtAll)
struct TwoRecordsOfPairTests {
  private static let names = (0..<8).map { "Person \($0)" }

  private func joinAll(_ device: Device) async throws {
    try await device.save { context in
      let group = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group"))[0]
      for name in Self.names {
        try context.person(name).setValue(NSSet(array: [group]), forKey: "groups")
      }
    }
  }

  /// The smallest name among the records that a device is about to send.
  private func firstName(_ device: Device) throws -> String {
    try #require(
      device.engine.ledger.outbox.nextGroups(limit: 100).entries.map(\.record.recordName).min())
  }

  /// Two devices that joined the same objects, the first one under smaller names.
  ///
  /// The other one has sent its records.
  private func withTwoDevices(
    _ body: (
      _ cloud: TestCloud, _ one: Device, _ way: WatchedTransport, _ other: Device, _ folder: URL
    ) async throws ->
      Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var devices: [(device: Device, way: WatchedTransport)] = []
      for _ in 0..<2 {
        let signedIn = try await cloud.signIn("ada")
        let way = WatchedTransport(signedIn.transport)
        devices.append((try await Device(signedIn, in: folder, through: way), way))
      }
      try await devices[0].device.add("Group", ["title": "All"])
      for name in Self.names { try await devices[0].device.add("Person", ["name": name]) }
      for (device, _) in devices { try await device.sync() }
      for (device, _) in devices { try await joinAll(device) }
      if try firstName(devices[1].device) < firstName(devices[0].device) { devices.swapAt(0, 1) }
      try await devices[1].device.sync()
      try await body(cloud, devices[0].device, devices[0].way, devices[1].device, folder)
      for (device, _) in devices { try device.close() }
    }
  }

  @Test func `The surplus record stays until the other one exists`() async throws {
    try await withTwoDevices { cloud, one, way, other, folder in
      let all = try await other.text()
      // The network breaks after the first request.
      let (network, requests) = (one.network, Requests())
      way.watch { request in
        if request.address.contains("records/modify"), requests.next() > 1 {
          network.isOnline = false
        }
      }
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) { try await one.sync() }
      #expect(!network.isOnline)
      try await other.sync()
      #expect(try await other.text() == all)
      way.watch(nil)
      network.isOnline = true
      for device in [one, other, one] { try await device.sync() }
      let third = try await Device(cloud.signIn("ada"), in: folder)
      try await third.sync()
      for device in [one, other, third] { #expect(try await device.text() == all) }
      try third.close()
      // One record of each pair is left.
      let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let page = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
      #expect(page.modificationResultsByID.count == 1 + 2 * Self.names.count)
    }
  }

  /// A device with one pair, the pair's record, and the database.
  private func withPair(
    _ body: (_ device: Device, _ database: CKDatabase, _ record: CKRecord) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add("Group", ["title": "All"])
      try await device.add("Person", ["name": "Ada"])
      try await device.save { context in
        let group = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group"))[0]
        try context.person("Ada").setValue(NSSet(array: [group]), forKey: "groups")
      }
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let record = try #require(try await pairs(database).first)
      try await body(device, database, record)
      try device.close()
    }
  }

  private func pairs(_ database: CKDatabase) async throws -> [CKRecord] {
    let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
    let page = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
    return try page.modificationResultsByID.values.map { try $0.get().record }
      .filter { $0.recordType == MirrorNames.joinType }
  }

  private func copy(_ record: CKRecord, named name: String) -> CKRecord {
    let copy = CKRecord(
      recordType: record.recordType,
      recordID: CKRecord.ID(recordName: name, zoneID: record.recordID.zoneID))
    for key in record.allKeys() { copy[key] = record[key] as (any CKRecordValueProtocol)? }
    return copy
  }

  @Test func `A deferred second record is deleted with its pair`() async throws {
    try await withPair { device, database, record in
      try await device.save { try $0.person("Ada").setValue(NSSet(), forKey: "groups") }
      // The name precedes all others, so the record would win if the pair stayed.
      try await database.save(copy(record, named: "00000000-0000-4000-8000-000000000000"))
      try await device.sync()
      #expect(try await pairs(database).isEmpty)
      #expect(try await device.text().allSatisfy { !$0.contains("groups=All") })
    }
  }

  @Test
  func `A pair removed and added again within one page keeps its new record`() async throws {
    try await withPair { device, database, record in
      let new = copy(record, named: "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
      try await database.deleteRecord(withID: record.recordID)
      try await database.save(new)
      for _ in 0..<2 { try await device.sync() }
      #expect(try await pairs(database).map(\.recordID) == [new.recordID])
      #expect(try await device.text().contains { $0.contains("groups=All") })
    }
  }

  @Test func `Both records go if the pair is removed before the second one exists`() async throws {
    try await withTwoDevices { _, one, _, other, _ in
      #expect(await one.engine.importOnce().failure == nil)
      try await one.save { context in
        for name in Self.names { try context.person(name).setValue(NSSet(), forKey: "groups") }
      }
      try await one.sync()
      try await other.sync()
      #expect(try await one.text() == other.text())
      #expect(try await other.text().allSatisfy { !$0.contains("groups=All") })
    }
  }
}
