import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// An object that counts how often a set asks for its hash.
final class HashedObject: NSManagedObject {
  private(set) var hashes = 0

  override var hash: Int {
    hashes += 1
    return super.hash
  }
}

/// The contents of contexts' notifications.
@Suite struct ContextNotificationTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws { office = try Office(at: URL(fileURLWithPath: "/dev/null")) }

  @Test func `A save posts its notifications in order, with its objects and identifiers`() throws {
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
    let kitchen = try Kitchen()
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
    let context = try hashedContext()
    let listeners = [
      Listener(context, .NSManagedObjectContextObjectsDidChange),
      Listener(context, .NSManagedObjectContextDidSave),
      Listener(context, .NSManagedObjectContextDidSave),
    ]
    let objects = try insertAndSave(100, context)
    for listener in listeners { #expect(listener.objects(NSInsertedObjectsKey).count == 1) }
    #expect((100..<200).contains(hashes(objects)))
    for listener in listeners { #expect(listener.objects(NSInsertedObjectsKey).last?.count == 100) }
  }

  @Test func `A save whose sets no observer reads makes none`() throws {
    let context = try hashedContext()
    let listener = Listener(context, .NSManagedObjectContextDidSave)
    let objects = try insertAndSave(100, context)
    #expect(hashes(objects) == 0)
    #expect(listener.objects(NSInsertedObjectsKey).last?.count == 100)
  }

  private func hashedContext() throws -> NSManagedObjectContext {
    let entity = NSEntityDescription()
    entity.name = "Hashed"
    entity.managedObjectClassName = NSStringFromClass(HashedObject.self)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return try Office(model: model).context
  }

  private func insertAndSave(_ count: Int, _ context: NSManagedObjectContext) throws
    -> [HashedObject]
  {
    let objects = (0..<count).map { _ in context.insert("Hashed", as: HashedObject.self) }
    try context.save()
    return objects
  }

  /// The number of hashes that sets asked objects for.
  private func hashes(_ objects: [HashedObject]) -> Int { objects.map(\.hashes).reduce(0, +) }

  @Test func `Programs can cast a set as they cast any set of objects`() throws {
    let listener = Listener(context, .NSManagedObjectContextDidSave)
    let person = context.person("Ada")
    try context.save()
    let notification = try #require(listener.notifications.first)
    let userInfo = try #require(notification.userInfo)
    let value = try #require(userInfo[NSInsertedObjectsKey])
    #expect(value as? Set<NSObject> == [person])
    #expect(value as? Set<Person> == [person])
    #expect(value as? Set<AnyHashable> == [person])
    #expect((value as? NSSet)?.allObjects as? [NSManagedObject] == [person])
    #expect((value as? any Collection)?.count == 1)
    #expect(value is Set<NSManagedObject>)
    #expect(value as? [NSManagedObject] == nil)
    #expect(value as? AnyHashable == AnyHashable(Set<NSManagedObject>([person])))
    #expect("\(value)".hasPrefix("[<Person"))
    #expect(Mirror(reflecting: value).displayStyle == .set)
    let dictionary = NSDictionary(dictionary: userInfo)
    #expect(dictionary[NSInsertedObjectsKey] as? Set<NSManagedObject> == [person])
    #expect((dictionary[NSInsertedObjectsKey] as? NSSet)?.contains(person) == true)
    #expect(userInfo[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [])
    #expect((notification as NSNotification).userInfo?[NSInsertedObjectsKey] is Set<Person>)
  }

  @Test func `Identifiers that are read late are those of the save`() throws {
    let listener = Listener(context, .NSManagedObjectContextDidSaveObjectIDs)
    let (one, two) = (context.person("Ada"), context.person("Bob"))
    try context.save()
    let identifiers: Set = [one.objectID, two.objectID]
    context.delete(one)
    try context.save()
    context.reset()
    let saves = listener.notifications.map(\.userInfo)
    #expect(saves[0]?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == identifiers)
    #expect(saves[1]?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [one.objectID])
  }

  @Test func `Another thread can read the sets of a save`() async throws {
    let listener = Listener(context, .NSManagedObjectContextDidSave)
    _ = context.person("Ada")
    try context.save()
    nonisolated(unsafe) let userInfo = try #require(listener.notifications.first?.userInfo)
    let count = await Task.detached {
      (unsafe userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count
    }.value
    #expect(count == 1)
  }

  @Test func `The identifiers of a child's save are those that its parent knows`() throws {
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = context
    let listener = Listener(child, .NSManagedObjectContextDidSaveObjectIDs)
    let person = child.person("Ada")
    try child.save()
    let identifiers = listener.notifications.first?.userInfo?[NSInsertedObjectIDsKey]
    #expect(identifiers as? Set<NSManagedObjectID> == [person.objectID])
  }
}
