import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

/// Devices with different versions of a model.
///
/// Values that one cannot read appear once it can.
@Suite("Model versions", .endsAtAll)
struct ModelVersionTests {
  /// The address book.
  ///
  /// The second version adds pets, clubs and more properties of people.
  private static func model(_ version: Int) -> NSManagedObjectModel {
    let model = AddressBook.model()
    guard version > 1, let person = model.entitiesByName["Person"] else { return model }
    person.properties += [
      ModelSketch.attribute("nickname", .stringAttributeType),
      ModelSketch.attribute("kind", .stringAttributeType, required: "friend"),
    ]
    var sketch = ModelSketch()
    let pet = sketch.entity("Pet", [ModelSketch.attribute("name", .stringAttributeType)])
    let club = sketch.entity("Club", [ModelSketch.attribute("name", .stringAttributeType)])
    sketch.relate(person, "favourite", to: pet, "fans", backToMany: true)
    sketch.relate(person, "clubs", toMany: true, to: club, "guests", backToMany: true)
    model.entities += [pet, club]
    return model
  }

  private func device(_ cloud: TestCloud, _ folder: URL, _ version: Int, file: URL? = nil)
    async throws -> Device
  {
    try await Device(cloud.signIn("ada"), in: folder, model: Self.model(version), file: file)
  }

  /// Adds objects that only the second version knows.
  private func addNews(_ device: Device) async throws {
    try await device.save { context in
      let person = try context.person("Ada")
      let pet = NSEntityDescription.insertNewObject(forEntityName: "Pet", into: context)
      let club = NSEntityDescription.insertNewObject(forEntityName: "Club", into: context)
      pet.setValue("Rex", forKey: "name")
      club.setValue("Chess", forKey: "name")
      person.setValue("Countess", forKey: "nickname")
      person.setValue(pet, forKey: "favourite")
      person.setValue(NSSet(object: club), forKey: "clubs")
    }
  }

  private func count(_ entity: String, _ device: Device) async throws -> Int {
    try await device.container.performBackgroundTask { context in
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
  }

  @Test func `Values that a former version could not read appear once the model has them`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await device(cloud, folder, 1)
      let newer = try await device(cloud, folder, 2)
      for name in ["Ada", "Bob", "Gone"] { try await former.add("Person", ["name": name]) }
      try await former.sync()
      try await newer.sync()
      try await addNews(newer)
      try await newer.sync()
      try await former.sync()
      try await former.change("Bob", ["age": 30])
      try former.close()
      // The feed reports objects deleted while the program was closed, and they do not come back.
      try await newer.delete("Gone")
      try await newer.sync()
      let updated = try await device(cloud, folder, 2, file: former.file)
      try await updated.sync()
      try await newer.sync()
      #expect(try await updated.text() == newer.text())
      #expect(try await updated.names() == ["Ada", "Bob"])
      #expect(try await updated.value("Ada", "nickname") == "Countess")
      #expect(try await updated.value("Bob", "kind") == "friend")
      #expect(try await newer.value("Bob", "age") == "30")
      for entity in ["Pet", "Club"] { #expect(try await count(entity, updated) == 1) }
      #expect(updated.container.syncState.isUpToDate)
      #expect(try updated.container.conflicts().isEmpty && cloud.serverErrors.isEmpty)
      try updated.close()
      try newer.close()
    }
  }

  @Test func `Changes the newer program makes before reading the rest are kept`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await device(cloud, folder, 1)
      let newer = try await device(cloud, folder, 2)
      try await former.add("Person", ["name": "Ada"])
      try await former.sync()
      try await newer.sync()
      try await addNews(newer)
      try await newer.sync()
      try await former.sync()
      try former.close()
      let updated = try await device(cloud, folder, 2, file: former.file)
      try await updated.change("Ada", ["nickname": "Enchantress"])
      try await updated.sync()
      try await newer.sync()
      for device in [updated, newer] {
        #expect(try await device.value("Ada", "nickname") == "Enchantress")
      }
      #expect(try await updated.text() == newer.text())
      let conflict = try #require(try updated.container.conflicts().first)
      #expect(conflict.property == "nickname" && conflict.overwrittenValue as? String == "Countess")
      try updated.close()
      try newer.close()
    }
  }

  @Test func `A former version that refills a lost zone removes nothing that it does not know`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await device(cloud, folder, 1)
      let newer = try await device(cloud, folder, 2)
      let third = try await device(cloud, folder, 2)
      try await former.add("Person", ["name": "Ada", "age": 30])
      try await former.sync()
      try await newer.sync()
      try await addNews(newer)
      try await newer.change("Ada", ["kind": "rival", "age": 36])
      try await newer.sync()
      try await third.sync()
      let before = try await newer.text()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
      try await database.deleteRecordZone(withID: zoneID)
      try await database.save(CKRecordZone(zoneID: zoneID))
      // The former version has not received the latest age either.
      try await former.sync()
      for _ in 0..<2 { for device in [newer, third, former] { try await device.sync() } }
      for device in [newer, third] {
        #expect(try await device.value("Ada", "nickname") == "Countess")
        #expect(try await device.value("Ada", "kind") == "rival")
        #expect(try await device.text() == before.map { $0.replacing("age=36", with: "age=30") })
        for entity in ["Pet", "Club"] { #expect(try await count(entity, device) == 1) }
        let lost = try device.container.conflicts()
        #expect(lost.map(\.property) == ["age"] && lost.first?.overwrittenValue as? Int == 36)
        #expect(lost.first?.keptLocal == false && device.container.syncState.isUpToDate)
      }
      let fresh = try await self.device(cloud, folder, 2)
      try await fresh.sync()
      #expect(try await fresh.text() == newer.text())
      for device in [former, newer, third, fresh] { try device.close() }
    }
  }

  @Test func `A second read continues after an interruption and ends`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await device(cloud, folder, 1)
      let newer = try await device(cloud, folder, 2)
      try await newer.save { context in
        for number in 0..<1_500 {
          let pet = NSEntityDescription.insertNewObject(forEntityName: "Pet", into: context)
          pet.setValue("Pet \(number)", forKey: "name")
        }
      }
      try await newer.sync()
      try await former.sync()
      try former.close()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let broken = try await Device(
        signedIn, in: folder, model: Self.model(2), file: former.file, through: transport)
      // The first answer is the feed's. Five pages of the second read make one save.
      let asked = Requests()
      transport.watch { request in
        guard request.address.contains("changes/zone"), asked.next() == 7 else { return }
        signedIn.network.isOnline = false
      }
      let outcome = await broken.engine.run(.setUp)
      #expect(outcome.failure == nil)
      #expect(await broken.engine.importOnce().failure?.kind == .offline)
      try broken.close()
      let updated = try await device(cloud, folder, 2, file: former.file)
      let before = try await count("Pet", updated)
      #expect(before > 0 && before < 1_500)
      try await updated.sync()
      #expect(try await count("Pet", updated) == 1_500)
      let requests = updated.network.requestCount
      try await updated.sync()
      #expect(updated.network.requestCount - requests <= 2, "The second read has ended.")
      try updated.close()
      try newer.close()
    }
  }
}
