import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

/// Who is signed in may change at any time; a store's data is one user's.
@Suite("Accounts", .timeLimit(.minutes(2)))
struct AccountTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker.Code? {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  private func credentials(_ device: TestDevice) throws -> CloudCredentials {
    .user(apiToken: device.apiToken, webAuthToken: try #require(device.webAuthToken))
  }

  @Test func `Another user gets nothing of a store, and the former one finds it as it was`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let binding = try device.engine.site.container.binding()
      try binding.setCredentials(credentials(bob))
      try await device.add("Person", ["name": "Unsent"])
      #expect(try await blocker(device) == .accountChanged)
      #expect(try await device.names() == ["Ada", "Unsent"])
      try binding.setCredentials(credentials(ada))
      #expect(try await blocker(device) == nil)
      await #expect(throws: CKError.self) {
        try await bob.container.privateCloudDatabase.recordZone(for: Self.zoneID)
      }
      try device.close()
    }
  }

  @Test func `What is left of an export does not go to who signs in amid it`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      try await bob.container.privateCloudDatabase.save(CKRecordZone(zoneID: Self.zoneID))
      let transport = WatchedTransport(ada.transport)
      let device = try await Device(ada, in: folder, through: transport)
      try await device.sync()
      for number in 0..<4 { try await device.add("Person", ["name": "P\(number)"]) }
      let binding = try device.engine.site.container.binding()
      let others = try credentials(bob)
      let sends = Mutex(0)
      transport.watch { request in
        let isSecond = request.address.contains("records/modify") && sends.counted() == 2
        guard isSecond else { return }
        try? binding.setCredentials(others)
      }
      _ = await device.engine.exportOnce(ExportLimits(records: 1))
      transport.watch(nil)
      #expect(sends.withLock(\.self) == 2)
      #expect(try await blocker(device) == .accountChanged)
      let strange = try await bob.container.privateCloudDatabase.recordZoneChanges(
        inZoneWith: Self.zoneID, since: nil)
      #expect(strange.modificationResultsByID.isEmpty)
      try binding.setCredentials(credentials(ada))
      #expect(try await blocker(device) == nil)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["P0", "P1", "P2", "P3"])
      for device in [device, other] { try device.close() }
    }
  }
}

extension Mutex where Value == Int {
  /// Counts one more, and gives how many these are.
  borrowing func counted() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
