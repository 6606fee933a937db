import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Apple's stores, used as an application uses them.
@Suite(.requiresFixtures) struct `Apple's stores in use` {
  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func request(_ entity: NSEntityDescription, _ type: NSFetchRequestResultType)
    -> NSFetchRequest<
      any NSFetchRequestResult
    >
  {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
    request.includesSubentities = false
    request.resultType = type
    return request
  }

  @Test(arguments: AppleStore.withModel)
  func `Every property of every entity can be changed and is read by others`(
    store: AppleStore
  ) throws {
    try store.withCopy { url in
      let (given, related) = try use(store, url)
      let coordinator = try store.coordinator(url)
      let context = context(coordinator)
      try context.performAndWait {
        for (uri, values) in given {
          let object = try object(uri, coordinator, context)
          for (name, value) in values {
            // Printing all bytes would not help.
            let isEqual = (object.value(forKey: name) as? NSObject)?.isEqual(value) == true
            #expect(isEqual, "\(uri) \(name)")
          }
        }
        for (uri, names) in related {
          let object = try object(uri, coordinator, context)
          for (name, destinations) in names {
            #expect(object.destinations(name) == destinations, "\(uri) \(name)")
          }
        }
      }
      #expect(try Connection(.file(url.path)).issues(.full) == [])
    }
  }

  private func object(
    _ uri: String, _ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext
  ) throws -> NSManagedObject {
    let url = try #require(URL(string: uri))
    return try context.existingObject(
      with: #require(coordinator.managedObjectID(forURIRepresentation: url)))
  }

  /// Makes all possible changes.
  ///
  /// Returns the values and the destinations of all relationships of the changed objects.
  private func use(
    _ store: AppleStore, _ url: URL
  ) throws -> (given: [String: [String: NSObject]], related: [String: [String: [String]]]) {
    let coordinator = try store.coordinator(url)
    let context = context(coordinator)
    nonisolated(unsafe) var result: ([String: [String: NSObject]], [String: [String: [String]]]) = (
      [:], [:]
    )
    try context.performAndWait {
      var use = AppleStoreUse(context)
      for entity in coordinator.managedObjectModel.entities {
        let objects =
          try context.fetch(request(entity, .managedObjectResultType)) as? [NSManagedObject] ?? []
        try expectSameCount(objects.count, entity, context)
        try use.change(entity, objects)
      }
      #expect(use.objects.isEmpty || use.changedCount > use.refusedCount)
      if coordinator.persistentStores[0].options?[NSPersistentHistoryTrackingKey] != nil,
        use.changedCount > 0
      {
        let result = try context.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        #expect(((result as? NSPersistentHistoryResult)?.result as? [Any])?.isEmpty == false)
      }
      result.0 = use.given
      for object in use.objects where object.managedObjectContext != nil {
        let uri = object.objectID.uriRepresentation().absoluteString
        for name in object.entity.relationshipsByName.keys {
          result.1[uri, default: [:]][name] = object.destinations(name)
        }
      }
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    return result
  }

  private func expectSameCount(
    _ count: Int, _ entity: NSEntityDescription, _ context: NSManagedObjectContext
  ) throws {
    #expect(try context.fetch(request(entity, .managedObjectIDResultType)).count == count)
    #expect(try context.count(for: request(entity, .countResultType)) == count)
    // Transformed values need the application's own classes.
    let plain = entity.attributesByName.values.filter {
      !$0.isTransient && $0.attributeType != .transformableAttributeType
    }
    guard !plain.isEmpty else { return }
    let dictionaries = request(entity, .dictionaryResultType)
    dictionaries.propertiesToFetch = plain.map(\.name).sorted()
    #expect(try context.fetch(dictionaries).count == count)
  }
}
