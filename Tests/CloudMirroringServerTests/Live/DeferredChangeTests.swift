import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Many deferred entries do not make later saves slower.
@Suite("Deferred changes", .endsAtAll)
struct DeferredChangeTests {
  private static let notDeployed = NSPersistentCloudKitContainer.SyncBlocker.Code.schemaNotDeployed

  /// Passes a device whose towns are rejected because their type is not deployed.
  ///
  /// `pages` counts the pages that the device reads from its outbox.
  private func withDevice(
    _ body: (_ cloud: TestCloud, _ device: Device, _ pages: Requests) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let developer = try await Device(cloud.signIn("grace"), in: folder)
      try await developer.add("Person", ["name": "Sample"])
      try await developer.sync()
      try await cloud.deploySchema()
      let pages = Requests()
      var logging = StatementLogging()
      logging.observe = {
        if $0.sql.contains("m0 | s0"), $0.sql.contains("LIMIT") { _ = pages.next() }
      }
      let device = try await StatementLogging.$current.withValue(logging) {
        try await Device(cloud.signIn("ada", to: .production), in: folder)
      }
      try await body(cloud, device, pages)
      try device.close()
      try developer.close()
    }
  }

  /// Syncs a device, and returns the code of the blocker that stops it, if any.
  private func blockerOfSync(_ device: Device) async throws
    -> NSPersistentCloudKitContainer.SyncBlocker.Code?
  {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  private func addTowns(_ count: Int, _ device: Device) async throws {
    try await device.save { context in
      for number in 0..<count {
        NSEntityDescription.insertNewObject(forEntityName: "Town", into: context).setValue(
          "\(number)", forKey: "name")
      }
    }
  }

  @Test func `An export after a save does not read deferred entries again`() async throws {
    try await withDevice { _, device, pages in
      for _ in 0..<8 { try await addTowns(100, device) }
      #expect(try await blockerOfSync(device) == Self.notDeployed)
      // Scans the deferred entries. Later exports start after them.
      #expect(await device.engine.exportOnce().failure == nil)
      // `next` counts its own call, too. A page has at most 200 of the 800 entries.
      #expect(pages.next() - 1 >= 4, "The pages of the scan were not counted.")
      for name in ["Ada", "Bob"] {
        try await device.add("Person", ["name": name])
        let before = pages.next()
        let outcome = await device.engine.exportOnce()
        #expect(outcome.failure == nil && outcome.blockers.map(\.kind) == [.schemaNotDeployed])
        #expect(pages.next() - before - 1 <= 2)
      }
      #expect(device.container.syncState.stores.first?.pendingChangeCount == 800)
    }
  }

  @Test func `New and changed entries are sent at once, and deferred ones with the next retry`()
    async throws
  {
    try await withDevice { cloud, device, _ in
      try await addTowns(50, device)
      try await device.add("Person", ["name": "Ada"])
      for _ in 0..<2 { #expect(try await blockerOfSync(device) == Self.notDeployed) }
      // The reset backfills every object. Its entries may precede the deferred ones.
      try await device.add("Person", ["name": "Bob"])
      #expect(await device.engine.run(.reset(.zone)).failure == nil)
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(device.container.syncState.stores.first?.pendingChangeCount == 50)
      let developer = try await Device(
        cloud.signIn("kay"), in: device.file.deletingLastPathComponent())
      try await developer.add("Town", ["name": "Sample"])
      try await developer.sync()
      try await cloud.deploySchema()
      // The changed entry is sent alone, and the others with the next retry.
      try await device.save { context in
        let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
        towns.first { $0.value(forKey: "name") as? String == "7" }?.setValue(
          "Seven", forKey: "name")
      }
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(device.container.syncState.stores.first.map { $0.pendingChangeCount < 50 } == true)
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      try developer.close()
    }
  }
}
