import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// Decisions of a program's conflict handler in combination with other rules.
@Suite("Conflict handlers", .endsAtAll)
struct MergeHandlerTests {
  /// Two devices.
  ///
  /// The second one's program keeps the cloud's value of a property.
  private func withDevices(
    leaving property: String, isOrdered: Bool = false,
    _ body: (TestCloud, Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model(isOrdered: isOrdered)
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model)
      other.container.setMergeHandler { _, _, changed in changed == property ? false : nil }
      try await body(cloud, one, other)
      #expect(cloud.serverErrors.isEmpty)
      for device in [one, other] { try device.close() }
    }
  }

  private func agree(_ devices: Device...) async throws {
    for _ in 0..<2 { for device in devices { try await device.sync() } }
    #expect(try await devices[0].text() == devices[1].text())
    for device in devices { #expect(device.container.syncState.isUpToDate) }
  }

  // MARK: Lost records

  /// The server lost the zone, and the first device refills it.
  ///
  /// The second one has changed the address as well.
  private func makeAgain(_ cloud: TestCloud, _ one: Device, _ other: Device, email: String?)
    async throws
  {
    try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
    try await agree(one, other)
    let database = try await cloud.signIn("ada").container.privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
    try await database.deleteRecordZone(withID: zoneID)
    try await database.save(CKRecordZone(zoneID: zoneID))
    try await one.save { try $0.person("Ada").setValue(email, forKey: "email") }
    try await other.change("Ada", ["email": "of the other", "age": 2])
    try await agree(one, other)
  }

  @Test func `A handler can keep the cloud's value of a record that was lost and recreated`()
    async throws
  {
    try await withDevices(leaving: "email") { cloud, one, other in
      try await makeAgain(cloud, one, other, email: "of the one")
      #expect(try await one.value("Ada", "email") == "of the one")
      #expect(try await one.value("Ada", "age") == "2")
      let conflict = try #require(try other.container.conflicts().first { $0.property == "email" })
      #expect(!conflict.keptLocal && conflict.overwrittenValue as? String == "of the other")
    }
  }

  @Test func `Fields that a recreated record lacks are no cloud values to keep`() async throws {
    try await withDevices(leaving: "email") { cloud, one, other in
      try await makeAgain(cloud, one, other, email: nil)
      #expect(try await one.value("Ada", "email") == "of the other")
    }
  }

  // MARK: Orders

  @Test func `A handler keeps the cloud's order as a whole, followed by new local members`()
    async throws
  {
    try await withDevices(leaving: "people", isOrdered: true) { _, one, other in
      try await one.save { context in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue("London", forKey: "name")
        let people = ["Ada", "Bob", "Cyd"].map { context.makePerson($0) }
        town.setValue(NSOrderedSet(array: people), forKey: "people")
      }
      try await agree(one, other)
      try await one.reorder(["Cyd", "Bob", "Ada"])
      try await other.save { _ = $0.makePerson("Dan") }
      try await other.reorder(["Dan", "Ada", "Bob", "Cyd"])
      try await agree(one, other)
      #expect(try await other.order() == ["Cyd", "Bob", "Ada", "Dan"])
      #expect(try await one.order() == other.order())
    }
  }

  // MARK: Unanswered changes

  /// The second device's change has arrived without its knowledge, and the first one overwrote it.
  private func loseAnswer(_ one: Device, _ other: Device) async throws {
    try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
    try await agree(one, other)
    try await other.change("Ada", ["email": "sent", "age": 2])
    other.network.inject(.lostResponse)
    other.network.inject(.noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
    #expect(await other.engine.exportOnce().failure?.kind == .offline)
    other.network.heal()
    try await one.sync()
    #expect(try await one.value("Ada", "email") == "sent", "The change has arrived.")
    try await one.change("Ada", ["email": "newer"])
    try await one.sync()
  }

  @Test(arguments: [true, false])
  func `A handler can keep the cloud's value over unanswered and later changes`(
    isSentFirst: Bool
  ) async throws {
    try await withDevices(leaving: "email") { _, one, other in
      try await loseAnswer(one, other)
      try await other.change("Ada", ["email": "newest", "age": 3])
      if isSentFirst { #expect(await other.engine.exportOnce().failure == nil) }
      try await agree(other, one)
      #expect(try await one.value("Ada", "email") == "newer")
      #expect(try await one.value("Ada", "age") == "3")
      let overwritten = try other.container.conflicts().filter { $0.property == "email" }.map(
        \.overwrittenValue)
      #expect(overwritten.map { $0 as? String } == ["newest"])
    }
  }

  @Test
  func `An unanswered change does not return over a newer value, whatever a handler decides`()
    async throws
  {
    try await withDevices(leaving: "nothing") { _, one, other in
      other.container.setMergeHandler { _, _, _ in true }
      try await loseAnswer(one, other)
      try await agree(other, one)
      #expect(try await one.value("Ada", "email") == "newer")
    }
  }
}

extension NSManagedObjectContext {
  fileprivate func makePerson(_ name: String) -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: self)
    person.setValue(name, forKey: "name")
    return person
  }

  fileprivate func town() throws -> NSManagedObject {
    try #require(try fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).first)
  }
}

extension Device {
  /// The people of the only town, in order.
  fileprivate func order() async throws -> [String] {
    try await container.performBackgroundTask { context in
      let members = try context.town().mutableOrderedSetValue(forKey: "people")
      return (0..<members.count).compactMap {
        (members.object(at: $0) as? NSManagedObject)?.value(forKey: "name") as? String
      }
    }
  }

  /// Reorders the people of the only town and saves.
  fileprivate func reorder(_ names: [String]) async throws {
    try await save { context in
      try context.town().setValue(
        NSOrderedSet(array: try names.map(context.person)), forKey: "people")
    }
  }
}
