import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// Values that conflicts removed can be read and restored.
@Suite("The conflict journal", .endsAtAll)
struct JournalTests {
  private func withDevices(
    isUnique: Bool = false, takesAlong: Bool = false, _ body: (Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      func device() async throws -> Device {
        let model = AddressBook.model(isUnique: isUnique, takesAlong: takesAlong)
        return try await Device(cloud.signIn("ada"), in: folder, model: model)
      }
      let (one, other) = (try await device(), try await device())
      try await body(one, other)
      try one.close()
      try other.close()
    }
  }

  private func agree(_ one: Device, _ other: Device) async throws {
    for _ in 0..<2 {
      try await one.sync()
      try await other.sync()
    }
    try await one.sync()
    #expect(try await one.text() == other.text())
  }

  private func addPeopleOfTowns(_ device: Device) async throws {
    try await device.save { context in
      for name in ["London", "Paris"] {
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue(name, forKey: "name")
        guard name == "London" else { continue }
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        for (key, value) in ["name": "Ada", "email": "ada@example.com"] {
          person.setValue(value, forKey: key)
        }
        person.setValue(town, forKey: "town")
      }
    }
  }

  private func town(_ name: String, _ device: Device) async throws -> NSManagedObjectID {
    try await device.container.performBackgroundTask { context in
      let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
      return try #require(towns.first { $0.value(forKey: "name") as? String == name }?.objectID)
    }
  }

  private func move(_ device: Device, to name: String) async throws {
    let town = try await town(name, device)
    try await device.save { context in
      try context.person("Ada").setValue(context.object(with: town), forKey: "town")
    }
  }

  @Test
  func `An object deleted remotely while it changed locally is listed and can be recreated`()
    async throws
  {
    try await withDevices { one, other in
      try await addPeopleOfTowns(one)
      try await agree(one, other)
      try await one.delete("Ada")
      try await other.change("Ada", ["age": 36])
      try await agree(one, other)
      #expect(try await other.names().isEmpty)
      let conflict = try #require(try other.container.conflicts().first)
      #expect(conflict.property == nil && !conflict.keptLocal && conflict.winnerID == nil)
      #expect(conflict.overwrittenValues["name"] as? String == "Ada")
      #expect(conflict.overwrittenValues["age"] as? Int == 36)
      #expect(
        conflict.overwrittenValues["town"] as? NSManagedObjectID
          == (try await town("London", other)))
      try other.container.undo(conflict)
      try await agree(one, other)
      #expect(try await one.text().contains { $0.contains("age=36") && $0.contains("town=London") })
      let undone = try #require(try other.container.conflicts().first)
      #expect(undone.isUndone)
      #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try other.container.undo(undone)
      }
      #expect(try await one.names() == ["Ada"])
    }
  }

  @Test(arguments: [false, true])
  func `Objects that a remote deletion cascades to unknowingly can be recreated`(
    isSent: Bool
  ) async throws {
    try await withDevices(takesAlong: true) { one, other in
      try await addPeopleOfTowns(one)
      try await agree(one, other)
      let (london, paris) = (try await town("London", other), try await town("Paris", other))
      try await other.add("Person", ["name": "Bob", "age": 5])
      try await other.save { context in
        let bob = try context.person("Bob")
        bob.setValue(context.object(with: london), forKey: "town")
        bob.setValue(try context.person("Ada"), forKey: "parent")
      }
      try await other.add("Person", ["name": "Cyd"])
      try await other.save { try $0.person("Cyd").setValue($0.object(with: paris), forKey: "town") }
      let gone = try await town("London", one)
      try await one.save { context in context.delete(context.object(with: gone)) }
      if isSent { try await other.sync() }
      try await agree(one, other)
      #expect(try await other.names() == ["Cyd"])
      let conflict = try #require(try other.container.conflicts().first)
      #expect(
        try [one, other].flatMap { try $0.container.conflicts() }.count == 1,
        "The deleting device knew of Ada, so she is not in the journal.")
      #expect(conflict.property == nil && conflict.overwrittenValues["age"] as? Int == 5)
      try other.container.undo(conflict)
      try await agree(one, other)
      #expect(try await other.names() == ["Bob", "Cyd"])
    }
  }

  @Test func `Remote changes to an object that was deleted locally can be recreated`() async throws
  {
    try await withDevices { one, other in
      try await addPeopleOfTowns(one)
      try await agree(one, other)
      try await other.change("Ada", ["age": 36])
      try await other.sync()
      try await one.delete("Ada")
      try await agree(one, other)
      #expect(try await other.names().isEmpty)
      let conflict = try #require(try one.container.conflicts().first)
      #expect(
        conflict.property == nil && conflict.keptLocal
          && conflict.overwrittenValues["age"] as? Int == 36)
      try one.container.undo(conflict)
      try await agree(one, other)
      #expect(try await other.value("Ada", "age") == "36")
    }
  }

  @Test func `A relationship that both devices changed is listed and can be restored`() async throws
  {
    try await withDevices { one, other in
      try await addPeopleOfTowns(one)
      try await agree(one, other)
      try await one.save { context in try context.person("Ada").setValue(nil, forKey: "town") }
      try await agree(one, other)
      try await move(one, to: "London")
      try await move(other, to: "Paris")
      try await agree(one, other)
      let conflict = try #require(try other.container.conflicts().first)
      #expect(conflict.property == "town" && conflict.keptLocal)
      #expect(conflict.overwrittenValue as? NSManagedObjectID == (try await town("London", other)))
      try other.container.undo(conflict)
      try await agree(one, other)
      #expect(
        try await one.text().contains { $0.contains("name=Ada") && $0.contains("town=London") })
    }
  }

  @Test func `The loser of a merge is in the journal`() async throws {
    try await withDevices(isUnique: true) { one, other in
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com", "age": 36])
      try await other.add("Person", ["name": "A. L.", "email": "ada@example.com", "age": 63])
      try await agree(one, other)
      let left = try await one.names()
      #expect(left.count == 1)
      let all = try [one, other].flatMap { device in
        try device.container.conflicts().map { (device, $0) }
      }
      let (device, conflict) = try #require(all.first { $0.1.winnerID != nil })
      #expect(conflict.overwrittenValues["email"] as? String == "ada@example.com")
      #expect(conflict.overwrittenValues["name"] as? String == (left == ["Ada"] ? "A. L." : "Ada"))
      #expect(conflict.overwrittenValues["age"] as? Int == (left == ["Ada"] ? 63 : 36))
      #expect(conflict.winnerID == (try await device.person(left[0])))
      #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try device.container.undo(conflict)
      }
    }
  }
}
