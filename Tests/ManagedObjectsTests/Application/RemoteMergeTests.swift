import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Two coordinators that share one file, as those of two processes do.
@Suite struct RemoteMergeTests {
  private let kitchen: Kitchen
  private let other: NSPersistentContainer
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    kitchen = try Kitchen { $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
    try kitchen.inContext { context in
      for title in ["Soup", "Pie", "Tea"] { context.recipe(title, ["rating": 3.0]) }
      try context.save()
    }
    other = NSPersistentContainer(name: "Kitchen", managedObjectModel: KitchenModel.make())
    let description = NSPersistentStoreDescription(url: kitchen.file)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    other.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    other.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    (mine, theirs) = (kitchen.container.newBackgroundContext(), other.newBackgroundContext())
    mine.retainsRegisteredObjects = true
    try mine.performAndWait {
      for recipe in try mine.recipes() { _ = recipe.value(forKey: "rating") }
    }
  }

  /// Updates, inserts and deletes one object each, and returns their URIs in this order.
  private func change() throws -> [URL] {
    try theirs.performAndWait {
      let all = try theirs.recipes()
      all[0].setValue(5.0, forKey: "rating")
      let new = theirs.recipe("Cake")
      theirs.delete(all[2])
      try theirs.save()
      return [all[0], new, all[2]].map { $0.objectID.uriRepresentation() }
    }
  }

  private func expectMerged(_ listener: Listener, _ merges: Listener) throws {
    try mine.performAndWait { () throws in
      #expect(try mine.recipes().map { $0.value(forKey: "rating") as? Double } == [nil, 5, 3])
      #expect(mine.registeredObjects.map(\.dishTitle).sorted() == ["Cake", "Pie", "Soup"])
      #expect(!mine.hasChanges)
    }
    #expect(listener.objects(NSRefreshedObjectsKey).joined().count == 1)
    mine.performAndWait {
      #expect(listener.objects(NSInsertedObjectsKey).joined().map(\.dishTitle) == ["Cake"])
    }
    #expect(listener.objects(NSDeletedObjectsKey).joined().count == 1)
    let info = try #require(merges.notifications.first?.userInfo)
    for key in [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey] {
      #expect((info[key] as? Set<NSManagedObjectID>)?.count == 1, "\(key)")
    }
  }

  /// The way in which a program identifies changes made elsewhere.
  enum Naming: CaseIterable {
    case identifiersUnderObjectKeys, identifiersUnderIdentifierKeys, uris
  }

  @Test(arguments: Naming.allCases)
  func `Changes are merged by identifiers and by URIs`(_ naming: Naming) throws {
    let uris = try change()
    let listener = Listener(mine, .NSManagedObjectContextObjectsDidChange)
    let merges = Listener(mine, .NSManagedObjectContextDidMergeChangesObjectIDs)
    let identifiers = uris.compactMap(kitchen.coordinator.managedObjectID(forURIRepresentation:))
    let objectKeys = [NSUpdatedObjectsKey, NSInsertedObjectsKey, NSDeletedObjectsKey]
    let identifierKeys = [NSUpdatedObjectIDsKey, NSInsertedObjectIDsKey, NSDeletedObjectIDsKey]
    var data: [AnyHashable: Any] = [:]
    for place in 0..<3 {
      switch naming {
      case .identifiersUnderObjectKeys: data[objectKeys[place]] = [identifiers[place]]
      case .identifiersUnderIdentifierKeys: data[identifierKeys[place]] = Set([identifiers[place]])
      case .uris: data[objectKeys[place]] = [uris[place]]
      }
    }
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: data, into: [mine])
    try expectMerged(listener, merges)
  }

  @Test func `The notification of a transaction is merged`() throws {
    let token = kitchen.coordinator.currentPersistentHistoryToken(fromStores: nil)
    _ = try change()
    let listener = Listener(mine, .NSManagedObjectContextObjectsDidChange)
    let merges = Listener(mine, .NSManagedObjectContextDidMergeChangesObjectIDs)
    try mine.performAndWait {
      let result = try mine.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      let transactions =
        (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
      let notification = try #require(transactions?.first).objectIDNotification()
      mine.mergeChanges(fromContextDidSave: notification)
    }
    try expectMerged(listener, merges)
  }

  @Test func `Local changes survive a merge and conflict only if they must`() throws {
    try mine.performAndWait {
      try #require(try mine.recipes().first).setValue("Better pie", forKey: "title")
    }
    let uris = try change()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [uris[0]]], into: [mine])
    try mine.performAndWait {
      let pie = try #require(mine.updatedObjects.first)
      #expect(pie.dishTitle == "Better pie" && pie.value(forKey: "rating") as? Double == 5)
      try mine.save()
    }
    try theirs.performAndWait { () throws in
      theirs.refreshAllObjects()
      #expect(try theirs.titles("rating == 5") == ["Better pie"])
    }
  }

  @Test func `Invalidating all objects takes over changes that no notification named`() throws {
    _ = try change()
    let data = [NSInvalidatedAllObjectsKey: [NSManagedObjectID]()]
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: data, into: [mine])
    try mine.performAndWait { () throws in
      #expect(try mine.recipes().map { $0.value(forKey: "rating") as? Double } == [nil, 5, 3])
    }
  }
}
