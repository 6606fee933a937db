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
import Synchronization
import TestSupport
import Testing

/// `initializeCloudKitSchema()`: a development environment learns types and fields, and no record
/// remains.
@Suite("Schema initialisation", .blockingThreads, .endsAtAll)
struct SchemaInitialisationTests {
  private static let scopes = [CKDatabase.Scope.private, .public]

  @Test(arguments: scopes)
  func `The development schema is learnt from sample records that are deleted afterwards`(
    scope: CKDatabase.Scope
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: scope)
      try device.container.initializeCloudKitSchema()
      try await cloud.deploySchema()
      let production = try await Device(
        cloud.signIn("ada", to: .production), in: folder, scope: scope)
      try await production.add("Person", ["name": "Ada", "email": "ada@example.com", "age": 36])
      try await production.sync()
      #expect(production.container.syncState.isUpToDate)
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      #expect(try await device.text().isEmpty)
      try device.close()
      try production.close()
    }
  }

  /// One of the developer's stores is mirrored with the shared database.
  @Test func `Objects move between zones in production with the deployed schema`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let developer = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try developer.container.initializeCloudKitSchema()
      try await cloud.deploySchema()
      let devices = [
        try await SharingDevice(try await cloud.signIn("ada", to: .production), in: folder),
        try await SharingDevice(try await cloud.signIn("ada", to: .production), in: folder),
      ]
      try await devices[0].addTown("Paris", people: ["Ada"])
      try await devices[0].addTown("Rome", people: [])
      for device in devices { try await device.sync() }
      try await devices[0].share(["Paris"])
      for device in devices { try await device.sync() }
      try await devices[0].save { context in
        try context.object("Ada", "Person").setValue(
          try context.object("Rome", "Town"), forKey: "town")
      }
      for device in devices + devices { try await device.sync() }
      for device in devices {
        #expect(try await device.people() == ["Ada of Rome"])
        #expect(try await device.zone("Ada") == MirrorNames.zone)
        #expect(device.container.syncState.isUpToDate)
      }
      for device in devices + [developer] { try device.close() }
    }
  }

  @Test func `Moved objects wait in production until the schema counts moves`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let developer = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await developer.addTown("Paris", people: ["Ada"])
      try await developer.sync()
      try await cloud.deploySchema()
      let devices = [
        try await SharingDevice(try await cloud.signIn("ada", to: .production), in: folder),
        try await SharingDevice(try await cloud.signIn("ada", to: .production), in: folder),
      ]
      try await devices[0].addTown("Oslo", people: ["Eve"])
      for device in devices { try await device.sync() }
      let (_, share, _) = try await devices[0].share(["Oslo"])
      for _ in 0..<2 {
        let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
          try await devices[0].sync()
        }
        #expect(blocker?.code == .schemaNotDeployed && blocker?.field == "PH_moves")
        try await devices[1].sync()
        for device in devices { #expect(try await device.people() == ["Eve of Oslo"]) }
      }
      try developer.container.initializeCloudKitSchema()
      try await cloud.deploySchema()
      for device in devices + devices { try await device.sync() }
      for device in devices {
        #expect(try await device.people() == ["Eve of Oslo"])
        #expect(try await device.zone("Eve") == share.recordID.zoneID.zoneName)
      }
      for device in devices + [developer] { try device.close() }
    }
  }

  @Test(arguments: scopes)
  func `No device sees the sample records at any time`(
    scope: CKDatabase.Scope
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder, scope: scope, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: scope)
      try await one.sync()
      let looks = Mutex(0)
      transport.watch { _ in
        looks.withLock { $0 += 1 }
        await #expect(throws: Never.self) {
          try await other.sync()
          #expect(try await other.text().isEmpty)
        }
      }
      try one.container.initializeCloudKitSchema()
      transport.watch(nil)
      #expect(looks.withLock(\.self) >= 3)
      let zones = try await signedIn.container.privateCloudDatabase.allRecordZones()
      #expect(!zones.contains { $0.zoneID.zoneName == MirrorNames.sampleZone })
      try one.close()
      try other.close()
    }
  }

  @Test(arguments: scopes)
  func `If sending the samples fails, none remain`(scope: CKDatabase.Scope) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, scope: scope, through: transport)
      try await device.sync()
      // The samples arrive, but the answer is lost.
      transport.answerAsGateway("records/modify", 400, isPage: false)
      #expect(throws: (any Error).self) { try device.container.initializeCloudKitSchema() }
      try await device.sync()
      #expect(try await device.text().isEmpty)
      let container = signedIn.container
      #expect(
        !(try await container.privateCloudDatabase.allRecordZones()).contains {
          $0.zoneID.zoneName == MirrorNames.sampleZone
        })
      for entity in ["Group", "Person", "Town"] {
        let query = CKQuery(recordType: "CD_\(entity)", predicate: NSPredicate(value: true))
        do {
          let found = try await container.publicCloudDatabase.records(matching: query)
          #expect(found.matchResults.isEmpty)
        } catch CKError.unknownItem {
          // The server does not know a type without saved records.
        }
      }
      try device.close()
    }
  }

  @Test func `A dry run sends nothing`() async throws {
    try await withTemporaryDirectory { folder in
      let signedIn = try await TestCloud().signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, through: transport)
      transport.watch { Issue.record("A dry run sent a request to \($0.address).") }
      try device.container.initializeCloudKitSchema(options: [.dryRun])
      transport.watch(nil)
      try device.close()
    }
  }
}
