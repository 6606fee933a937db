import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// Changes that devices make without knowing of each other's, and their results.
@Suite("Pairs and moves", .endsAtAll)
struct PairAndMoveTests {
  private func withDevices(
    model: () -> NSManagedObjectModel = { AddressBook.model() },
    _ body: (TestCloud, Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model())
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
    #expect(try await one.text() == other.text())
    #expect(one.container.syncState.isUpToDate && other.container.syncState.isUpToDate)
  }

  // MARK: Pairs

  /// The new records of the pairs have random names, smaller and larger than the former ones.
  @Test func `Pairs that were removed and added again exist on every device`() async throws {
    let names = (0..<16).map { "Person \($0)" }
    try await withDevices { _, one, other in
      try await one.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("All", forKey: "title")
        for name in names {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(name, forKey: "name")
          group.mutableSetValue(forKey: "members").add(person)
        }
      }
      try await agree(one, other)
      try await other.save { context in try context.group().setValue(NSSet(), forKey: "members") }
      try await other.sync()
      try await other.save { context in
        let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        try context.group().setValue(NSSet(array: people), forKey: "members")
      }
      try await other.sync()
      try await agree(one, other)
      #expect(try await one.members() == names.sorted())
    }
  }

  @Test
  func `Pairs removed on both devices and added again on one converge`() async throws {
    try await withDevices { _, one, other in
      try await one.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        for number in 0..<8 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
          group.mutableSetValue(forKey: "members").add(person)
        }
      }
      try await agree(one, other)
      for device in [one, other] {
        try await device.save { context in try context.group().setValue(NSSet(), forKey: "members")
        }
      }
      try await other.sync()
      try await other.save { context in
        let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        try context.group().setValue(NSSet(array: people), forKey: "members")
      }
      try await other.sync()
      try await agree(one, other)
    }
  }

  // MARK: Rules of the model

  /// A town with people cannot be deleted by a device that knows them.
  @Test(arguments: [true, false])
  func `A reference to an object that another device could delete is cleared`(isSent: Bool)
    async throws
  {
    func model() -> NSManagedObjectModel {
      let model = AddressBook.model()
      model.entitiesByName["Town"]?.relationshipsByName["people"]?.deleteRule = .denyDeleteRule
      return model
    }
    try await withDevices(model: model) { _, one, other in
      try await one.add("Town", ["name": "London"])
      try await agree(one, other)
      try await other.save { context in
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).forEach(
          context.delete)
      }
      try await one.save { context in
        let town = try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).first)
        let ada = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        ada.setValue("Ada", forKey: "name")
        ada.setValue(town, forKey: "town")
      }
      if isSent { try await one.sync() } else { try await other.sync() }
      try await agree(one, other)
      #expect(try await one.names() == ["Ada"])
      for device in [one, other] {
        let count = try await device.container.performBackgroundTask { context in
          let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
          request.predicate = NSPredicate(format: "town != nil")
          return try context.count(for: request)
        }
        #expect(count == 0, "A reference has no target.")
      }
    }
  }

  /// The feed has the deletion of the town long before the record of the person who moved.
  @Test
  func `An object moved away before a delete rule applies stays, in any number of pages`()
    async throws
  {
    func model() -> NSManagedObjectModel {
      let model = AddressBook.model()
      model.entitiesByName["Town"]?.relationshipsByName["people"]?.deleteRule = .cascadeDeleteRule
      return model
    }
    try await withDevices(model: model) { _, one, other in
      try await one.save { context in
        for name in ["Here", "There"] {
          let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
          town.setValue(name, forKey: "name")
          guard name == "Here" else { continue }
          for person in ["Ada", "Bob"] {
            let resident = NSEntityDescription.insertNewObject(
              forEntityName: "Person", into: context)
            resident.setValue(person, forKey: "name")
            resident.setValue(town, forKey: "town")
          }
        }
      }
      try await agree(one, other)
      try await other.save { context in
        let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
        try context.person("Ada").setValue(
          towns.first { $0.value(forKey: "name") as? String == "There" }, forKey: "town")
        towns.filter { $0.value(forKey: "name") as? String == "Here" }.forEach(context.delete)
      }
      try await other.sync()
      let count = MirrorLimits.pagesInSave * MirrorLimits.recordsInPage + 1
      try await other.save { context in
        for number in 0..<count {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
        }
      }
      try await other.sync()
      try await other.change("Ada", ["email": "ada@there"])
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "ada@there")
      let names = try await one.names()
      #expect(names.count == count + 1 && !names.contains("Bob"))
    }
  }

  // MARK: The history

  @Test
  func `A save of a program without mirroring is sent even after it deleted its history`()
    async throws
  {
    try await withDevices { _, one, other in
      try await one.add(
        "Person",
        ["name": "Ada", "email": "first", "age": 1, "born": Date(timeIntervalSince1970: 0.5)])
      try await one.add("Person", ["name": "Bob", "email": "first", "age": 1])
      try await agree(one, other)
      let file = one.file
      try await Self.withoutMirroring(file) { context in
        try context.person("Ada").setValue("from beside", forKey: "email")
        try context.save()
        _ = try context.execute(
          NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
      }
      for name in ["Ada", "Bob"] {
        try await other.change(name, ["age": 2, "born": Date(timeIntervalSince1970: 1)])
      }
      try await other.sync()
      try await agree(one, other)
      for device in [one, other] {
        #expect(try await device.value("Ada", "email") == "from beside")
        for name in ["Ada", "Bob"] {
          #expect(try await device.value(name, "age") == "2", "\(name)")
        }
      }
      #expect(try one.container.conflicts().isEmpty, "No value was overwritten.")
    }
  }

  private static func withoutMirroring(
    _ file: URL, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void
  ) async throws {
    let container = NSPersistentContainer(
      name: "Addresses", managedObjectModel: AddressBook.model())
    let description = NSPersistentStoreDescription(url: file)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    try await container.loadPersistentStores()
    try await container.performBackgroundTask(body)
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }
}

extension NSManagedObjectContext {
  fileprivate func group() throws -> NSManagedObject {
    try #require(try fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")).first)
  }
}

extension Device {
  /// The names of the members of the only group, in order.
  fileprivate func members() async throws -> [String] {
    try await container.performBackgroundTask { context in
      let members = try context.group().value(forKey: "members") as? NSSet
      return (members?.allObjects ?? []).compactMap {
        ($0 as? NSManagedObject)?.value(forKey: "name") as? String
      }
      .sorted()
    }
  }
}
