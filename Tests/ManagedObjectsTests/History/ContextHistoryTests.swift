import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite struct ContextHistoryTests {
  /// A context whose coordinator has one store that keeps a history.
  private func office(in folder: URL, _ name: String = "Office") throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: folder.appendingPathComponent("\(name).sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = "tests"
    return context
  }

  private func transactions(
    after token: NSPersistentHistoryToken?, _ context: NSManagedObjectContext
  ) throws -> [NSPersistentHistoryTransaction] {
    let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
    return try #require(
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
  }

  @Test func `A context and its children execute history requests`()
    throws
  {
    try withTemporaryDirectory { folder in
      let context = try office(in: folder)
      context.name = "main"
      let company = context.company("Ice")
      try context.save()
      let before = context.persistentStoreCoordinator?.currentPersistentHistoryToken(
        fromStores: nil)
      company.rank = 5
      try context.save()
      let all = try transactions(after: nil, context)
      #expect(all.map(\.author) == ["tests", "tests"])
      #expect(all.map(\.contextName) == ["main", "main"])
      #expect(all.first?.token == before)
      let child = NSManagedObjectContext.onAnyThread()
      child.parent = context
      let later = try transactions(after: before, child)
      #expect(later.count == 1)
      #expect(later.first?.changes?.first?.changedObjectID == company.objectID)
      #expect(later.first?.changes?.first?.updatedProperties?.map(\.name) == ["rank"])
    }
  }

  @Test func `A context of another coordinator merges a transaction`() throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (try office(in: folder), try office(in: folder))
      let company = one.company("Ice")
      try one.save()
      let known = try #require(try other.companies().first)
      #expect(known.rank == 1)
      let token = other.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
      company.rank = 7
      try one.save()
      #expect(known.rank == 1)
      for transaction in try transactions(after: token, other) {
        other.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      #expect(known.rank == 7)
    }
  }

  @Test func `History can be requested from some of several stores`() throws {
    try withTemporaryDirectory { folder in
      let context = try office(in: folder)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let second = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("Second.sqlite"),
        options: [NSPersistentHistoryTrackingKey: true])
      context.assign(context.company("Ice"), to: second)
      _ = context.company("Fire")
      try context.save()
      #expect(try transactions(after: nil, context).count == 2)
      let request = NSPersistentHistoryChangeRequest.fetchHistory(
        after: nil as NSPersistentHistoryToken?)
      request.affectedStores = [second]
      let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
      let found = try #require(result.result as? [NSPersistentHistoryTransaction])
      #expect(found.map(\.storeID) == [second.identifier])
      #expect(coordinator.currentPersistentHistoryToken(fromStores: [second]) == found.first?.token)
      let empty = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
      #expect(empty.currentPersistentHistoryToken(fromStores: nil) == nil)
    }
  }
}
