import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite struct `A query generation` {
  private let container = NSPersistentContainer(name: "Shelf", managedObjectModel: ShelfModel().model)

  init() throws {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
  }

  @Test func `A context is pinned until it is told otherwise`() throws {
    let (one, two) = (container.newBackgroundContext(), container.newBackgroundContext())
    #expect(one.queryGenerationToken == nil)
    try one.setQueryGenerationFrom(.current)
    let token = try #require(one.queryGenerationToken)
    #expect(token != .current)
    try two.setQueryGenerationFrom(token)
    #expect(two.queryGenerationToken == token)
    try two.setQueryGenerationFrom(.current)
    #expect(two.queryGenerationToken != token)
    try one.setQueryGenerationFrom(nil)
    #expect(one.queryGenerationToken == nil)
  }

  @Test func `A child reads what its parent reads`() throws {
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    try parent.setQueryGenerationFrom(.current)
    #expect(child.queryGenerationToken == parent.queryGenerationToken)
    #expect(child.queryGenerationToken != nil)
  }

  @Test func `A child cannot be pinned`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      try child.setQueryGenerationFrom(.current)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Pin the context that has the coordinator"))
  }

  @Test func `A store in memory is read as it is`() throws {
    let (reader, writer) = (container.newBackgroundContext(), container.newBackgroundContext())
    try reader.setQueryGenerationFrom(.current)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    try reader.performAndWait { () throws in #expect(try reader.count(for: request) == 0) }
    try writer.performAndWait { () throws in
      _ = NSManagedObject(entity: try #require(container.managedObjectModel.entitiesByName["Tag"]), insertInto: writer)
      try writer.save()
    }
    try reader.performAndWait { () throws in #expect(try reader.count(for: request) == 1) }
  }
}
