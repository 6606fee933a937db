import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization
import Testing

/// A class that counts how often a set asks for an object's hash.
final class HashedObject: NSManagedObject {
  static let hashes = Atomic(0)

  override var hash: Int {
    Self.hashes.add(1, ordering: .relaxed)
    return super.hash
  }
}

/// The contents of contexts' notifications.
@Suite struct ContextNotificationTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws { office = try Office(at: URL(fileURLWithPath: "/dev/null")) }

  @Test func `A save posts an announcement, then its objects and identifiers`() throws {
    let (kept, gone) = (context.person("Ada"), context.person("Bob"))
    try context.save()
    var order: [String] = []
    let names: [Notification.Name] = [
      .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
      .NSManagedObjectContextDidSave,
      .NSManagedObjectContextDidSaveObjectIDs,
    ]
    nonisolated(unsafe) var posted: [Notification] = []
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        unsafe posted.append($0)
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    let goneID = gone.objectID
    let new = context.person("Cy")
    kept.age = 2
    context.delete(gone)
    try context.save()
    order = unsafe posted.map(\.name.rawValue)
    #expect(order == [names[1], names[0], names[2], names[3]].map(\.rawValue))
    for notification in unsafe posted {
      #expect(notification.object as? NSManagedObjectContext === context)
    }
    let saved = try #require(unsafe posted[2].userInfo)
    #expect(saved[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
    #expect(saved[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [kept])
    #expect(saved[NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])
    let named = try #require(unsafe posted[3].userInfo)
    #expect(named[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [new.objectID])
    #expect(named[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [kept.objectID])
    #expect(named[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [goneID])
    let key = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
    #expect(named[key] as? Set<NSManagedObjectID> == [new.objectID])
  }

  @Test func `The notification of a pinned context's save has its generation`() throws {
    try withTemporaryKitchen { kitchen in
      let context = kitchen.container.newBackgroundContext()
      let listener = Listener(context, .NSManagedObjectContextDidSave)
      try context.performAndWait {
        try context.setQueryGenerationFrom(.current)
        context.recipe("Soup")
        try context.save()
      }
      let token = listener.notifications.first?.userInfo?[NSManagedObjectContextQueryGenerationKey]
      #expect(token as? NSQueryGenerationToken == context.queryGenerationToken && token != nil)
    }
  }

  private func withTemporaryKitchen(_ body: (Kitchen) throws -> Void) throws { try body(Kitchen()) }

  @Test func `Refreshed, invalidated and removed objects are reported`() throws {
    let (one, two) = (context.person("Ada"), context.person("Bob"))
    try context.save()
    let listener = Listener(context, .NSManagedObjectContextObjectsDidChange)
    context.refresh(one, mergeChanges: true)
    context.refresh(two, mergeChanges: false)
    context.processPendingChanges()
    let info = try #require(listener.notifications.first?.userInfo)
    #expect(info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [one])
    #expect(info[NSInvalidatedObjectsKey] as? Set<NSManagedObject> == [two])
    #expect(info[NSUpdatedObjectsKey] == nil)
    let identifiers = Set([one.objectID, two.objectID])
    context.reset()
    let last = try #require(listener.notifications.last?.userInfo)
    #expect((last[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]).map(Set.init) == identifiers)
  }

  @Test func `A fetch and a save without changes post nothing`() throws {
    let person = context.person("Ada", age: 4)
    try context.save()
    let changes = Listener(context, .NSManagedObjectContextObjectsDidChange)
    let saves = Listener(context, .NSManagedObjectContextDidSave)
    _ = try context.people()
    try context.save()
    #expect(changes.notifications.isEmpty && saves.notifications.isEmpty)
    person.age = 4
    #expect(
      person.isUpdated && !person.hasPersistentChangedValues && person.changedValues().isEmpty)
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges && office.version(of: person) == 1)
  }

  @Test func `The sets of a save are made once for all of its notifications`() throws {
    let entity = NSEntityDescription()
    entity.name = "Hashed"
    entity.managedObjectClassName = NSStringFromClass(HashedObject.self)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let context = try Office(model: model).context
    func hashes(_ body: () throws -> Void) rethrows -> Int {
      let before = HashedObject.hashes.load(ordering: .relaxed)
      for _ in 0..<100 { _ = context.insert("Hashed", as: HashedObject.self) }
      try body()
      return HashedObject.hashes.load(ordering: .relaxed) - before
    }
    let listeners = [
      Listener(context, .NSManagedObjectContextObjectsDidChange),
      Listener(context, .NSManagedObjectContextDidSave),
      Listener(context, .NSManagedObjectContextDidSave),
    ]
    #expect((100..<200).contains(try hashes { try context.save() }))
    for listener in listeners { #expect(listener.objects(NSInsertedObjectsKey).last?.count == 100) }
  }
}
