import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import TestSupport
import Testing

/// A store that moves to another environment, container or server.
@Suite("Changing clouds", .endsAtAll)
struct CloudChangeTests {
  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker?
  {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker
    }
  }

  @Test func `Data created in development is sent to production, and production's data arrives`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      for name in ["Ada", "Bob"] { try await device.add("Person", ["name": name, "age": 20]) }
      try await device.sync()
      try await device.change("Bob", ["age": 30])
      try device.close()
      try await cloud.deploySchema()
      let other = try await Device(cloud.signIn("ada", to: .production), in: folder)
      try await other.add("Person", ["name": "Cyd"])
      try await other.sync()
      let moved = try await Device(
        cloud.signIn("ada", to: .production), in: folder, file: device.file)
      try await moved.sync()
      try await other.sync()
      #expect(try await moved.names() == ["Ada", "Bob", "Cyd"])
      #expect(try await moved.text() == other.text())
      #expect(moved.container.syncState.isUpToDate)
      // And back: both environments have the same names, so nothing is duplicated.
      try moved.close()
      let back = try await Device(cloud.signIn("ada"), in: folder, file: device.file)
      try await back.sync()
      let third = try await Device(cloud.signIn("ada"), in: folder)
      try await third.sync()
      #expect(try await third.names() == ["Ada", "Bob", "Cyd"])
      #expect(try await third.text() == back.text())
      for device in [back, other, third] { try device.close() }
    }
  }

  @Test func `The program is asked before data could reach another user`() async throws {
    try await withTemporaryDirectory { folder in
      let (cloud, foreign) = (
        try await TestCloud(), try await TestCloud(container: "iCloud.com.example.other")
      )
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      try device.close()
      let moved = try await Device(foreign.signIn("ada"), in: folder, file: device.file)
      let found = try #require(try await blocker(moved))
      #expect(found.code == .cloudChanged && found.code.rawValue == "cloud-changed")
      #expect(found.message.contains(cloud.container) && found.message.contains(foreign.container))
      #expect(found.remedy.contains("moveToCurrentCloud"))
      #expect(try await moved.names() == ["Ada"])
      let store = try #require(moved.container.persistentStoreCoordinator.persistentStores.first)
      moved.container.moveToCurrentCloud(store)
      #expect(try await blocker(moved) == nil)
      let other = try await Device(foreign.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada"])
      for device in [moved, other] { try device.close() }
    }
  }

  @Test func `The remedy of an import's rejected request names no object`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      try device.engine.ledger.setZoneToken(
        Array("no token".utf8), of: device.engine.mirror.homeZone)
      try await cloud.signIn("ada").container.privateCloudDatabase.save(
        CKRecord(
          recordType: "CD_Person", recordID: CKRecord.ID(recordName: "P", zoneID: device.zoneID)))
      let failure = try #require(await device.engine.importOnce().failure)
      #expect(failure.kind == .unexpected && failure.message.contains("syncToken"))
      #expect(!failure.kind.remedy.contains("object"))
      try device.close()
    }
  }
}

extension Device {
  fileprivate var zoneID: CKRecordZone.ID { CKRecordZone.ID(zoneName: MirrorNames.zone) }
}
