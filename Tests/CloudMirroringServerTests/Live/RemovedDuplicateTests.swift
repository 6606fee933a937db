import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// Duplicates that are merged while the program saves, and in containers with other stores.
@Suite("Removed duplicates", .endsAtAll)
struct RemovedDuplicateTests {
  @Test func `A save during the merge causes no failure`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      for (name, email) in [("Ada", nil), ("Eve", "ada@example.com")] {
        try await device.add("Person", ["name": name])
        if let email { try await device.change(name, ["email": email]) }
      }
      try await device.sync()
      let names = try await (device.recordName(of: "Ada"), device.recordName(of: "Eve"))
      try device.note(
        loser: names.0, for: names.1,
        without: ["email": .string("ada@example.com")])
      let person = try await device.person("Ada")
      let saver = InterveningSaver(of: device.container, isBefore: { $0 == nil }) { context in
        try context.existingObject(with: person).setValue(36, forKey: "age")
      }
      try await device.sync()
      #expect(saver.count == 2, "The save was repeated.")
      #expect(try await device.names() == ["Eve"])
      let conflicts = try device.container.conflicts()
      #expect(conflicts.count == 1 && conflicts.first?.winnerID != nil)
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }

  /// The record in conflict has the unique value of another local object, whose new value only the
  /// feed reports.
  @Test func `A conflict removes no duplicate before the feed is read`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = { AddressBook.model(isUnique: true) }
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model())
      for name in ["Ada", "Eve"] {
        try await device.add("Person", ["name": name, "email": "\(name)@example.com"])
      }
      for device in [device, other] { try await device.sync() }
      // The two exchange their values one after the other, so Eve gets Ada's former one.
      for (name, email) in [("Ada", "new"), ("Eve", "Ada@example.com"), ("Ada", "Eve@example.com")]
      {
        try await other.change(name, ["email": email])
        try await other.sync()
      }
      try await device.change("Eve", ["age": 36])
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(try device.container.conflicts().isEmpty)
      for device in [device, other] { try await device.sync() }
      for device in [device, other] {
        #expect(try await device.names() == ["Ada", "Eve"])
        #expect(try await device.value("Ada", "email") == "Eve@example.com")
        #expect(try await device.value("Eve", "email") == "Ada@example.com")
        #expect(try await device.value("Eve", "age") == "36")
        try device.close()
      }
    }
  }

  /// Keys of objects mean nothing in another store.
  @Test func `Objects of another store keep their values`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Bob"])
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let place = folder.appendingPathComponent("Other.sqlite")
      try device.container.persistentStoreCoordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: place)
      try await device.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        let other = context.persistentStoreCoordinator?.persistentStores.first { $0.url == place }
        context.assign(person, to: try #require(other))
        person.setValue("Eve", forKey: "name")
        person.setValue("ada@example.com", forKey: "email")
      }
      try device.note(
        loser: name, without: [["email": .string("ada@example.com")]])
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Bob", "Eve"])
      #expect(try await device.value("Ada", "email") == "ada@example.com")
      try device.close()
    }
  }
}
