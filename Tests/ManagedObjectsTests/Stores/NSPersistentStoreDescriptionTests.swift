import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

@Suite struct `A persistent store description` {
  private let url = URL(fileURLWithPath: "/tmp/notes.sqlite")

  @Test func `A new description has Apple's defaults`() {
    let description = NSPersistentStoreDescription(url: url)
    #expect(description.type == NSSQLiteStoreType)
    #expect(description.url == url)
    #expect(description.configuration == nil)
    #expect(!description.isReadOnly)
    #expect(description.timeout == 240)
    #expect(!description.shouldAddStoreAsynchronously)
    #expect(description.shouldMigrateStoreAutomatically)
    #expect(description.shouldInferMappingModelAutomatically)
    #expect(description.sqlitePragmas.isEmpty)
    #expect(
      description.options == [
        NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
        NSInferMappingModelAutomaticallyOption: true as NSNumber,
      ])
  }

  @Test func `A description without a URL describes a temporary store`() throws {
    let description = NSPersistentStoreDescription()
    #expect(description.url?.absoluteString == "file:///dev/null")
    #expect(description.type == NSSQLiteStoreType)
    let container = NSPersistentContainer(name: "Shelf", managedObjectModel: ShelfModel().model)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    #expect(failure == nil)
    #expect(
      container.persistentStoreCoordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
    let context = container.newBackgroundContext()
    let count = try context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      try context.save()
      return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
    }
    #expect(count == 1)
  }

  @Test(arguments: [Double.infinity, .nan, -1, 1e300])
  func `A store opens with any timeout`(timeout: Double) throws {
    try withTemporaryDirectory { folder in
      let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("s.sqlite"))
      description.timeout = timeout
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
      var failure: (any Error)?
      coordinator.addPersistentStore(with: description) { failure = $1 }
      #expect(failure == nil)
    }
  }

  @Test func `Properties of a description are options`() {
    let description = NSPersistentStoreDescription(url: url)
    description.isReadOnly = true
    description.timeout = 3
    description.shouldMigrateStoreAutomatically = false
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    #expect(description.options[NSReadOnlyPersistentStoreOption] == true as NSNumber)
    #expect(description.options[NSPersistentStoreTimeoutOption] == 3 as NSNumber)
    #expect(description.options[NSMigratePersistentStoresAutomaticallyOption] == false as NSNumber)
    #expect(description.options[NSPersistentHistoryTrackingKey] == true as NSNumber)
    #expect(description.sqlitePragmas == ["journal_mode": "DELETE" as NSString])
    description.setValue(nil, forPragmaNamed: "journal_mode")
    description.setOption(nil, forKey: NSPersistentHistoryTrackingKey)
    #expect(description.sqlitePragmas.isEmpty)
    #expect(description.options[NSPersistentHistoryTrackingKey] == nil)
  }

  @Test func `A copy is equal until it is changed`() throws {
    let description = NSPersistentStoreDescription(url: url)
    description.configuration = "Cloud"
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    let copy = try #require(description.copy() as? NSPersistentStoreDescription)
    #expect(copy == description)
    #expect(copy.hash == description.hash)
    copy.setOption(1 as NSNumber, forKey: "x")
    #expect(copy != description)
    #expect(description.options["x"] == nil)
  }
}
