import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// A feed with several pages, each of which is fetched before the previous one is saved.
@Suite("Feed pages", .endsAtAll)
struct FeedPartTests {
  /// A device that gets one record in each page, and runs a block before it requests a page.
  private func device(
    _ cloud: TestCloud, _ folder: URL, before part: Int,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Device {
    let signedIn = try await cloud.signIn("ada")
    let transport = WatchedTransport(signedIn.transport)
    var sizes = TransferSizes()
    (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
    let device = try await Device(
      signedIn, in: folder, model: AddressBook.model(takesAlong: true), through: transport,
      sizes: sizes)
    #expect(await device.engine.run(.setUp).failure == nil)
    let parts = Requests()
    transport.watch { request in
      guard request.address.contains("changes/zone"), parts.next() == part else { return }
      await #expect(throws: Never.self) { try await body() }
    }
    return device
  }

  private static func photo(_ byte: UInt8) -> Data {
    Data(repeating: byte, count: MappingLimits.inlineBytes + 100)
  }

  @Test
  func `An object created in one page and deleted in the next does not cascade to moved objects`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(takesAlong: true))
      try await one.save { context in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        town.setValue("London", forKey: "name")
        person.setValue("Ada", forKey: "name")
        person.setValue(town, forKey: "town")
      }
      try await one.sync()
      // The town changes last, so the feed has it after its people, and Bob at the end.
      try await one.save { try $0.onlyTown().setValue("Londinium", forKey: "name") }
      try await one.sync()
      try await one.add("Person", ["name": "Bob"])
      try await one.sync()
      let other = try await device(cloud, folder, before: 3) {
        try await one.change("Ada", ["email": "moving"])
        try await one.save { try $0.person("Ada").setValue(nil, forKey: "town") }
        try await one.sync()
        try await one.save { context in context.delete(try context.onlyTown()) }
        try await one.sync()
        for name in ["Ada", "Bob"] {
          try await one.change(name, ["email": "moved"])
          try await one.sync()
        }
      }
      for _ in 0..<2 { for device in [other, one] { try await device.sync() } }
      #expect(try await one.names() == ["Ada", "Bob"])
      #expect(try await other.text() == one.text())
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `An object that arrives with its owner's deletion is deleted everywhere`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var devices: [Device] = []
      for _ in 0..<3 {
        devices.append(
          try await Device(
            cloud.signIn("ada"), in: folder, model: AddressBook.model(takesAlong: true)))
      }
      let (maker, deleter, other) = (devices[0], devices[1], devices[2])
      try await maker.add("Town", ["name": "London"])
      for device in devices { try await device.sync() }
      try await maker.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Ada", forKey: "name")
        person.setValue(try context.onlyTown(), forKey: "town")
      }
      try await maker.sync()
      // The device that deletes the town does not know its people yet.
      try await deleter.save { context in context.delete(try context.onlyTown()) }
      #expect(await deleter.engine.exportOnce().failure == nil)
      // The other device imports both at once.
      #expect(await other.engine.importOnce().failure == nil)
      #expect(try await other.names() == [])
      #expect(
        other.container.syncState.stores.first?.pendingChangeCount == 1,
        "The cascaded deletion is pending."
      )
      #expect(
        try other.container.conflicts().map(\.objectID.entity.name) == ["Person"],
        "Its creator can restore it.")
      for device in [other] + devices { try await device.sync() }
      for device in devices {
        #expect(try await device.names() == [])
        try device.close()
      }
    }
  }

  @Test
  func `A deletion deferred to the end of the feed is dropped if the record returns`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = { AddressBook.model(takesAlong: true) }
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model())
      try await one.add("Town", ["name": "London"])
      try await one.sync()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
      let other = try await Device(
        signedIn, in: folder, model: model(), through: transport, sizes: sizes)
      try await other.sync()
      #expect(try await other.text().contains { $0.contains("London") })
      let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let former = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
      let town = try #require(
        try former.modificationResultsByID.values.map { try $0.get().record }.first)
      try await one.save { context in context.delete(try context.onlyTown()) }
      try await one.sync()
      for name in ["Bob", "Cecil"] {
        try await one.add("Person", ["name": name])
        try await one.sync()
      }
      // The first page has the deletion. The record is recreated before the second page is
      // requested.
      let again = CKRecord(recordType: town.recordType, recordID: town.recordID)
      for key in town.allKeys() { again[key] = town[key] as (any CKRecordValueProtocol)? }
      let parts = Requests()
      transport.watch { request in
        guard request.address.contains("changes/zone"), parts.next() == 2 else { return }
        await #expect(throws: Never.self) { try await database.save(again) }
      }
      #expect(await other.engine.importOnce().failure == nil)
      #expect(parts.next() > 3, "The feed had several pages.")
      #expect(try await other.text().contains { $0.contains("London") })
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `A record that the next page makes readable is no longer deferred`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(takesAlong: true))
      try await one.add("Person", ["name": "Cyd", "photo": Self.photo(1)])
      try await one.sync()
      try cloud.loseFiles()
      let other = try await device(cloud, folder, before: 3) {
        try await one.change("Ada", ["photo": Self.photo(2)])
        try await one.sync()
        try await one.change("Bob", ["email": "later"])
        try await one.sync()
      }
      // Unreadable records are requested once after the start, and not again.
      #expect(await other.engine.importOnce().blockers.map(\.kind) == [.unreadableRecord])
      try await one.add("Person", ["name": "Ada", "photo": Self.photo(1)])
      try await one.sync()
      try cloud.loseFiles()
      try await one.add("Person", ["name": "Bob"])
      try await one.sync()
      let blockers = await other.engine.importOnce().blockers
      #expect(blockers.map(\.kind) == [.unreadableRecord])
      #expect(blockers.first?.message.contains("1 more") == false, "Only Cyd is affected.")
      #expect(try await other.names() == ["Ada", "Bob"])
      for device in [one, other] { try device.close() }
    }
  }
}

extension NSManagedObjectContext {
  fileprivate func onlyTown() throws -> NSManagedObject {
    try #require(try fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).first)
  }
}
