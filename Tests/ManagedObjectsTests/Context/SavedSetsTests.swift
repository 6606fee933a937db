import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// The sets in a save's notification, after any events.
@Suite struct SavedSetsTests {
  /// Records the objects that a context is about to save, and checks the save's notification.
  private final class SavedSetObserver {
    private let saved: Listener
    private let named: Listener

    init(_ context: NSManagedObjectContext) {
      saved = Listener(context, .NSManagedObjectContextDidSave)
      named = Listener(context, .NSManagedObjectContextDidSaveObjectIDs)
    }

    func save(_ context: NSManagedObjectContext, _ comment: Comment) throws {
      context.processPendingChanges()
      let (inserted, updated) = (context.insertedObjects, context.updatedObjects)
      let deleted = context.deletedObjects
      let gone = Set(deleted.map(\.objectID))
      guard context.hasChanges else { return }
      try context.save()
      #expect(saved.objects(NSInsertedObjectsKey).last == inserted, comment)
      #expect(saved.objects(NSUpdatedObjectsKey).last == updated, comment)
      #expect(saved.objects(NSDeletedObjectsKey).last == deleted, comment)
      let names = named.notifications.last?.userInfo
      #expect(
        names?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == Set(inserted.map(\.objectID)),
        comment)
      #expect(
        names?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == Set(updated.map(\.objectID)),
        comment)
      #expect(names?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == gone, comment)
    }
  }

  @Test func `Restored objects are not in a save's deletions`() throws {
    let office = try Office()
    let context = office.context
    let (one, two) = (context.person("Ada"), context.person("Bob"))
    try context.save()
    let observer = SavedSetObserver(context)
    context.undoManager = ManagedObjects.UndoManager()
    context.delete(one)
    context.processPendingChanges()
    context.undo()
    context.undoManager = nil
    context.delete(two)
    try observer.save(context, "one came back, two went in another event")
    #expect(try office.newContext().people().map(\.name) == ["Ada"])
  }

  @Test func `A fault without a row is not confused with an announced deletion`() throws {
    let office = try Office()
    let context = office.context
    let (one, two) = (context.person("Ada"), context.person("Bob"))
    try context.save()
    context.refresh(two, mergeChanges: false)
    let other = office.newContext()
    for person in try other.people("name == %@", "Bob") { other.delete(person) }
    try other.save()
    context.undoManager = ManagedObjects.UndoManager()
    let listener = Listener(context, .NSManagedObjectContextDidSave)
    context.delete(one)
    context.processPendingChanges()
    context.undo()
    // Its row is gone, so it counts as deleted without an event.
    #expect(two.age == 0 && two.isDeleted)
    #expect(context.deletedObjects == [two] && !one.isDeleted)
    context.mergePolicy = NSMergePolicy.overwrite
    try context.save()
    #expect(!listener.objects(NSDeletedObjectsKey).contains { $0.contains(one) })
  }

  @Test func `Objects that a save's observer inserts are reported with the next save`() throws {
    let office = try Office()
    let context = office.context
    nonisolated(unsafe) var second: Person?
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { _ in
      guard unsafe second == nil else { return }
      unsafe second = context.person("Bob")
      context.processPendingChanges()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let listener = Listener(context, .NSManagedObjectContextDidSave)
    let first = context.person("Ada")
    try context.save()
    try context.save()
    #expect(listener.objects(NSInsertedObjectsKey) == [[first], [try #require(unsafe second)]])
  }

  @Test(arguments: 0..<20)
  func `A save's sets cover all events of the context`(round: Int) throws {
    var generator = SeededGenerator(seed: UInt64(4_100 + round))
    let comment = Comment(rawValue: "\(generator)")
    let office = try Office(at: round % 2 == 0 ? nil : URL(fileURLWithPath: "/dev/null"))
    let context = office.context
    if round % 3 == 0 { context.undoManager = ManagedObjects.UndoManager() }
    if round % 4 == 0 { context.retainsRegisteredObjects = true }
    let observer = SavedSetObserver(context)
    var people: [Person] = []
    for step in 0..<120 {
      let some = people.randomElement(using: &generator)
      switch Int.random(in: 0..<16, using: &generator) {
      case 0..<4: people.append(context.person("\(step)"))
      case 4..<6: some?.age += 1
      case 6..<9:
        if let some, some.managedObjectContext != nil { context.delete(some) }
      case 9:
        if let some, some.isDeleted, context.undoManager != nil { context.undo() }
      case 10..<12: context.processPendingChanges()
      case 12: context.undoManager == nil ? context.rollback() : context.undo()
      case 13: context.redo()
      default: try observer.save(context, comment)
      }
      people.removeAll { $0.managedObjectContext == nil }
    }
    try observer.save(context, comment)
    #expect(try office.newContext().people().map(\.name) == context.people().map(\.name), comment)
  }

  @Test func `A context that retains its objects releases deleted ones`() throws {
    let office = try Office()
    let context = office.context
    context.retainsRegisteredObjects = true
    var gone: Person? = context.person("Ada")
    let kept = context.person("Bob")
    try context.save()
    weak let watched = gone
    context.delete(try #require(gone))
    try context.save()
    gone = nil
    #expect(watched == nil && context.registeredObjects == [kept])
  }
}
