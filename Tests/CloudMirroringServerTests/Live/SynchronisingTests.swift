import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Two devices of one user with the real server between them.
@Suite("Two devices of one account", .endsAtAll)
struct SynchronisingTests {
  private func withDevices(_ body: (TestCloud, Device, Device) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await body(cloud, one, other)
      #expect(cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  private func agree(_ one: Device, _ other: Device) async throws {
    for _ in 0..<2 {
      try await one.sync()
      try await other.sync()
    }
    let (ours, theirs) = (try await one.text(), try await other.text())
    #expect(ours == theirs)
    #expect(one.container.syncState.isUpToDate)
    #expect(other.container.syncState.isUpToDate)
  }

  private static let person = "Person age=- balance=-"
  private static let nothing = "email=- name=Ada photo=- children= groups= parent= town="

  @Test func `Additions, changes and deletions on one device appear on the other`() async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada", "age": 36])
      try await one.add("Person", ["name": "Bob"])
      try await agree(one, other)
      #expect(try await other.names() == ["Ada", "Bob"])
      try await other.change("Ada", ["email": "ada@example.com"])
      try await other.delete("Bob")
      try await agree(one, other)
      #expect(try await one.names() == ["Ada"])
      #expect(try await one.value("Ada", "email") == "ada@example.com")
    }
  }

  @Test func `A context that is pinned to a generation does not see an import`() async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada", "age": 1])
      try await agree(one, other)
      let pinned = other.container.newBackgroundContext()
      func people() async throws -> [String] {
        try await pinned.perform {
          pinned.refreshAllObjects()
          return try pinned.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            .map { "\($0.value(forKey: "name") ?? "") \($0.value(forKey: "age") ?? "")" }.sorted()
        }
      }
      try await pinned.perform { try pinned.setQueryGenerationFrom(.current) }
      #expect(try await people() == ["Ada 1"])
      try await one.change("Ada", ["age": 2])
      try await one.add("Person", ["name": "Bob", "age": 3])
      try await agree(one, other)
      #expect(try await other.names() == ["Ada", "Bob"])
      #expect(try await people() == ["Ada 1"])
      try await one.delete("Ada")
      try await agree(one, other)
      #expect(try await people() == ["Ada 1"])
      try await pinned.perform { try pinned.setQueryGenerationFrom(.current) }
      #expect(try await people() == ["Bob 3"])
    }
  }

  @Test func `Dates keep fractions of a millisecond`() async throws {
    try await withDevices { _, one, other in
      let born = Date(timeIntervalSinceReferenceDate: 1.234567)
      try await one.add("Person", ["name": "Ada", "born": born])
      try await one.sync()
      try await other.sync()
      try await one.sync()
      for device in [one, other] {
        #expect(try await device.text() == ["\(Self.person) born=1.234567 \(Self.nothing)"])
      }
      try await other.change("Ada", ["email": "ada@example.com"])
      try await other.sync()
      try await one.sync()
      #expect(try await one.value("Ada", "email") == "ada@example.com")
      #expect(try await one.text().contains { $0.contains("born=1.234567 ") })
    }
  }

  @Test func `Relationships of all kinds arrive`() async throws {
    try await withDevices { _, one, other in
      try await one.save { context in
        let make = { (entity: String, key: String, name: String) -> NSManagedObject in
          let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
          object.setValue(name, forKey: key)
          return object
        }
        let (ada, bob) = (make("Person", "name", "Ada"), make("Person", "name", "Bob"))
        let (town, group) = (make("Town", "name", "London"), make("Group", "title", "Engines"))
        for person in [ada, bob] { person.setValue(town, forKey: "town") }
        bob.setValue(ada, forKey: "parent")
        group.setValue(NSSet(array: [ada, bob]), forKey: "members")
      }
      try await agree(one, other)
      #expect(
        try await other.text().contains { $0.contains("Group title=Engines members=Ada,Bob") })
      try await other.save { context in
        let group = try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")).first)
        group.mutableSetValue(forKey: "members").remove(try context.person("Bob"))
        try context.person("Bob").setValue(nil, forKey: "parent")
      }
      try await agree(one, other)
      #expect(
        try await one.text().contains {
          $0.contains("Group title=Engines members=Ada") && !$0.contains("Bob")
        })
    }
  }

  @Test func `A large value travels as an asset, and inline again when it shrinks`() async throws {
    try await withDevices { _, one, other in
      let photo = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try await one.add("Person", ["name": "Ada", "photo": photo])
      try await agree(one, other)
      let there = try await other.container.performBackgroundTask { context in
        try context.person("Ada").value(forKey: "photo") as? Data
      }
      #expect(there == photo)
      try await other.change("Ada", ["photo": Data([1, 2, 3])])
      try await agree(one, other)
      #expect(try await one.text().contains { $0.contains("photo=3 bytes") })
    }
  }

  // MARK: Conflicts

  /// One device changes the age and the other the address, before either syncs.
  @Test func `Changes to different properties both survive`() async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "John Doe", "email": "john@example.com"])
      try await agree(one, other)
      try await one.change("John Doe", ["age": 50])
      try await other.change("John Doe", ["email": "doe@example.com"])
      try await agree(one, other)
      #expect(try await one.value("John Doe", "age") == "50")
      #expect(try await one.value("John Doe", "email") == "doe@example.com")
      for device in [one, other] {
        #expect(try device.container.conflicts().isEmpty, "No value was overwritten.")
      }
    }
  }

  @Test
  func `On the same property the last change wins, and the journal can restore the other`()
    async throws
  {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada", "email": "first"])
      try await agree(one, other)
      try await one.change("Ada", ["email": "from one"])
      try await other.change("Ada", ["email": "from the other"])
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "from the other")
      let conflict = try #require(try other.container.conflicts().first)
      #expect(conflict.property == "email" && conflict.keptLocal)
      #expect(conflict.overwrittenValue as? String == "from one")
      try other.container.undo(conflict)
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "from one")
      #expect(try other.container.conflicts().first?.isUndone == true)
    }
  }

  @Test func `The journal can restore an asset whose file is gone`() async throws {
    try await withDevices { _, one, other in
      let photo = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 37) })
      try await one.add("Person", ["name": "Ada"])
      try await agree(one, other)
      try await one.change("Ada", ["photo": photo])
      try await other.change("Ada", ["photo": Data([1, 2, 3])])
      try await agree(one, other)
      let conflict = try #require(try other.container.conflicts().first)
      #expect(conflict.property == "photo" && conflict.overwrittenValue as? Data == photo)
      try other.container.undo(conflict)
      try await agree(one, other)
      #expect(try await one.text().contains { $0.contains("photo=1000000 bytes") })
    }
  }

  @Test func `A handler can keep the cloud's value`() async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada", "email": "first"])
      try await agree(one, other)
      other.container.setMergeHandler { _, _, property in property == "email" ? false : nil }
      try await one.change("Ada", ["email": "from one"])
      try await other.change("Ada", ["email": "from the other", "age": 5])
      try await agree(one, other)
      #expect(try await other.value("Ada", "email") == "from one")
      #expect(try await one.value("Ada", "age") == "5")
    }
  }

  @Test(arguments: [true, false])
  func `A deletion wins over a change`(deleterIsFirst: Bool) async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada"])
      try await agree(one, other)
      try await one.delete("Ada")
      try await other.change("Ada", ["email": "late"])
      if deleterIsFirst { try await agree(one, other) } else { try await agree(other, one) }
      #expect(try await one.names().isEmpty)
      #expect(try await other.names().isEmpty)
    }
  }

  // MARK: Losses

  @Test func `A device that lost its store gets everything again`() async throws {
    try await withDevices { cloud, one, other in
      for number in 0..<50 { try await one.add("Person", ["name": "Person \(number)"]) }
      try await agree(one, other)
      try await withTemporaryDirectory { folder in
        let third = try await Device(cloud.signIn("ada"), in: folder)
        try await agree(one, third)
        #expect(try await third.names().count == 50)
        try third.close()
      }
    }
  }

  @Test func `An insertion whose answer is lost makes no duplicate`() async throws {
    try await withDevices { _, one, other in
      try await agree(one, other)
      for number in 0..<5 {
        try await one.add("Person", ["name": "Person \(number)"])
        // The server applies the request. Its answer and those of all retries are lost.
        one.network.inject(nil, .lostResponse, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
        try? await one.sync()
        one.network.heal()
      }
      try await agree(one, other)
      #expect(try await other.names().count == 5)
    }
  }

  @Test
  func `A program that stops between the answer and its own note makes no duplicate`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let one = try await Device(signedIn, in: folder)
      try await one.sync()
      try await one.add("Person", ["name": "Ada"])
      // A copy of the file from before the request represents a program that ended too early.
      let before = folder.appendingPathComponent("before.sqlite")
      try one.container.persistentStoreCoordinator.replacePersistentStore(
        at: before, withPersistentStoreFrom: one.file, ofType: NSSQLiteStoreType)
      try await one.sync()
      try one.close()
      let again = try await Device(signedIn, in: folder, file: before)
      try await again.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await agree(again, other)
      #expect(try await other.names() == ["Ada"])
      try again.close()
      try other.close()
    }
  }

  @Test(arguments: [5_000, 900_000])
  func `A long value that no other device changed is no conflict`(length: Int) async throws {
    try await withDevices { _, one, other in
      try await one.add("Person", ["name": "Ada", "photo": Data(repeating: 1, count: length)])
      try await agree(one, other)
      try await other.change("Ada", ["age": 1])
      try await other.sync()
      try await one.change("Ada", ["photo": Data(repeating: 2, count: length)])
      try await agree(one, other)
      for device in [one, other] {
        #expect(try device.container.conflicts().isEmpty, "No value was overwritten.")
      }
      try await other.change("Ada", ["photo": Data(repeating: 3, count: length)])
      try await other.sync()
      try await one.change("Ada", ["photo": Data(repeating: 4, count: length + 1)])
      try await agree(one, other)
      #expect(try one.container.conflicts().map(\.property) == ["photo"])
      #expect(try await other.value("Ada", "photo") == "\(Data(repeating: 4, count: length + 1))")
    }
  }
}
