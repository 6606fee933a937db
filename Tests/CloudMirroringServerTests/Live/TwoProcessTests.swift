import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import SQLiteDriver
import TestSupport
import Testing

/// Another process adds items to the ledger while this one settles earlier items.
@Suite("Two processes", .endsAtAll)
struct TwoProcessTests {
  private func surplus(_ names: String...) -> [DeferredItem] {
    names.map {
      let zone = RecordZoneIdentifier(
        zoneName: MirrorNames.zone, ownerName: RecordZoneIdentifier.currentOwnerName)
      return DeferredItem(.surplus, .record(RecordIdentifier(recordName: $0, zone: zone)))
    }
  }

  @Test
  func `A surplus record that another process finds is not dropped with deleted ones`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, through: transport)
      try await device.sync()
      let ledger = device.engine.ledger
      try ledger.setDeferred(surplus("A", "B"))
      transport.watch { request in
        guard request.address.contains("records/modify") else { return }
        #expect(throws: Never.self) { try ledger.setDeferred(surplus("B", "C")) }
      }
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(try ledger.deferred(.surplus) == surplus("C"))
      transport.watch(nil)
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(try ledger.deferred(.surplus).isEmpty)
      try device.close()
    }
  }

  @Test func `A loser that another process finds is not dropped with deleted objects`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      for name in ["Ada", "Bob"] { try await device.add("Person", ["name": name]) }
      try await device.sync()
      let (ada, bob) = (try await device.person("Ada"), try await device.person("Bob"))
      let names = try [ada, bob].map {
        try #require(device.container.recordID(for: $0)?.recordName)
      }
      let ledger = device.engine.ledger
      @Sendable func note(_ loser: String) throws {
        var changes = LedgerChanges()
        changes.merges = [
          DuplicateMerge(winner: names[0], loser: loser, constraint: ["email"])
        ]
        try ledger.apply(changes)
      }
      try note(names[1])
      try note(names[1])
      // The other process records another loser just before the import saves the deletion of Bob.
      let coordinator = ObjectIdentifier(device.container.persistentStoreCoordinator)
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
      ) { notification in
        guard let context = notification.object as? NSManagedObjectContext,
          context.name == MirrorNames.importAuthor,
          context.persistentStoreCoordinator.map(ObjectIdentifier.init) == coordinator
        else { return }
        #expect(throws: Never.self) { try note("B") }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      #expect(await device.engine.importOnce().failure == nil)
      #expect(try await device.names() == ["Ada"])
      #expect(try ledger.merges().map(\.loser) == ["B"])
      try device.close()
    }
  }
}
