import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// The winner's record names the loser before the loser is deleted, or in the same atomic request.
@Suite("Announced merges", .endsAtAll)
struct AnnouncedMergeTests {
  /// A name that precedes all names made by devices.
  private static func smallest(_ scope: CKDatabase.Scope) -> CKRecord.ID {
    let zoneID =
      scope == .public ? CKRecordZone.ID.default : CKRecordZone.ID(zoneName: MirrorNames.zone)
    return CKRecord.ID(recordName: "-", zoneID: zoneID)
  }

  private static func other(_ scope: CKDatabase.Scope) -> CKRecord {
    let record = CKRecord(recordType: "CD_Person", recordID: smallest(scope))
    (record["CD_entityName"], record["CD_name"], record["CD_email"]) = (
      "Person", "A. L.", "ada@example.com"
    )
    return record
  }

  /// A device that has found a duplicate and has not sent the merge yet, and the database without
  /// mirroring.
  ///
  /// - Parameter owner: The owner of the winner's record.
  private func withUnsentMerge(
    _ scope: CKDatabase.Scope = .public, for owner: String = "ada",
    _ body: (Device, WatchedTransport, CKDatabase, _ loser: CKRecord.ID) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(
        signedIn, in: folder, scope: scope, model: AddressBook.model(isUnique: true),
        through: transport)
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.add("Person", ["name": "Bob"])
      try await device.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      try await device.sync()
      let loser = try #require(device.container.recordID(for: try await device.person("Ada")))
      let database = try await cloud.signIn(owner).container.database(with: scope)
      try await database.save(Self.other(scope))
      #expect(await device.engine.importOnce().failure == nil)
      #expect(try await device.names() == ["A. L.", "Bob"])
      try await body(device, transport, database, loser)
      try device.close()
    }
  }

  private func isThere(_ recordID: CKRecord.ID, _ database: CKDatabase) async throws -> Bool {
    try await database.records(for: [recordID], desiredKeys: []).values.contains {
      (try? $0.get()) != nil
    }
  }

  /// Another device has changed the winner, and the network breaks before its record names the
  /// loser.
  @Test func `No duplicate is deleted before the winner's record announces it`() async throws {
    try await withUnsentMerge { device, transport, database, loser in
      let winner = try await database.record(for: Self.smallest(.public))
      winner["CD_age"] = 36
      try await database.save(winner)
      let requests = Requests()
      transport.watch { request in
        if request.address.contains("records/modify"), requests.next() == 2 {
          device.network.isOnline = false
        }
      }
      #expect(await device.engine.exportOnce().failure?.kind == .offline)
      #expect(try await isThere(loser, database))
      // The device that deletes the winner does not know the loser.
      try await database.deleteRecord(withID: Self.smallest(.public))
      transport.watch(nil)
      device.network.isOnline = true
      for _ in 0..<3 { try await device.sync() }
      #expect(try await device.names() == ["Ada", "Bob"])
      #expect(try await device.value("Ada", "email") == "ada@example.com")
      #expect(
        try await device.text().contains { $0.contains("name=Ada") && $0.contains("children=Bob") })
      #expect(try await isThere(loser, database))
      #expect(device.container.syncState.isUpToDate)
    }
  }

  /// The winner changed later than the loser.
  ///
  /// Earlier saves are sent first, and the network breaks after them.
  @Test func `Duplicates that do not fit in one request wait for the winner's announcement`()
    async throws
  {
    try await withUnsentMerge(.private) { device, transport, database, loser in
      try await device.change("A. L.", ["age": 36])
      let requests = Requests()
      transport.watch { request in
        if request.address.contains("records/modify"), requests.next() == 2 {
          device.network.isOnline = false
        }
      }
      #expect(await device.engine.exportOnce(ExportLimits(records: 1)).failure?.kind == .offline)
      #expect(try await isThere(loser, database))
      transport.watch(nil)
      device.network.isOnline = true
      #expect(await device.engine.exportOnce(ExportLimits(records: 1)).failure == nil)
      #expect(try await isThere(loser, database) == false)
      let winner = try await database.record(for: Self.smallest(.private))
      #expect(winner["PH_standsFor"] == loser.recordName && winner["CD_age"] == 36)
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test func `A loser is deleted as soon as the winner announces it`() async throws {
    try await withUnsentMerge { device, _, database, loser in
      #expect(await device.engine.exportOnce().failure == nil)
      let winner = try await database.record(for: Self.smallest(.public))
      #expect(winner["PH_standsFor"] == loser.recordName)
      #expect(try await isThere(loser, database) == false)
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test func `A loser is deleted even if only another user may change the winner`() async throws {
    try await withUnsentMerge(for: "eve") { device, _, database, loser in
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(blocker?.code == .permission)
      let isLeft = try await isThere(loser, database)
      #expect(!isLeft)
      #expect(try await device.names() == ["A. L.", "Bob"])
    }
  }
}
