import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A guest of a hotel that records every life-cycle method call.
final class Guest: NSManagedObject {
  var hooks: [String] = []
  /// Additional reactions to life-cycle methods.
  var reactions: [String: (Guest) throws -> Void] = [:]

  private func note(_ hook: String) throws {
    hooks.append(hook)
    try reactions[hook]?(self)
  }

  private func noteSafely(_ hook: String) { try? note(hook) }

  /// The calls since the last call of this method.
  func takeHooks() -> [String] {
    defer { hooks = [] }
    return hooks
  }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue("new", forKey: "mood")
    noteSafely("awakeFromInsert")
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    setPrimitiveValue("known", forKey: "mood")
    noteSafely("awakeFromFetch")
  }

  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    noteSafely("awake\(flags.rawValue)")
  }
  override func willSave() { noteSafely("willSave") }
  override func didSave() { noteSafely(isDeleted ? "didSave deleted" : "didSave") }
  override func prepareForDeletion() { noteSafely("prepareForDeletion") }
  override func willTurnIntoFault() { noteSafely("willTurnIntoFault") }
  override func didTurnIntoFault() { noteSafely("didTurnIntoFault") }

  override func validateForInsert() throws {
    try note("validateForInsert")
    try super.validateForInsert()
  }

  override func validateForUpdate() throws {
    try note("validateForUpdate")
    try super.validateForUpdate()
  }

  override func validateForDelete() throws {
    try note("validateForDelete")
    try super.validateForDelete()
  }

  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }

  var nights: Int {
    get { (value(forKey: "nights") as? NSNumber)?.intValue ?? 0 }
    set { setValue(newValue, forKey: "nights") }
  }
}

/// The order of life-cycle methods, and the changes that they allow.
@Suite struct LifeCycleTests {
  private let kitchen: Kitchen
  private let context: NSManagedObjectContext

  init() throws {
    kitchen = try Kitchen(model: Self.model())
    context = kitchen.container.newBackgroundContext()
  }

  private static func model() -> NSManagedObjectModel {
    let guest = NSEntityDescription()
    guest.name = "Guest"
    guest.managedObjectClassName = NSStringFromClass(Guest.self)
    let mood = KitchenModel.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    guest.properties = [
      KitchenModel.attribute("name", .stringAttributeType, isOptional: false),
      KitchenModel.attribute("nights", .integer32AttributeType, default: 1), mood,
    ]
    let model = NSManagedObjectModel()
    model.entities = [guest]
    return model
  }

  private func saved(_ name: String) throws -> Guest {
    let guest = Guest(context: context)
    guest.name = name
    try context.save()
    guest.hooks = []
    return guest
  }

  @Test func `An object's life-cycle methods are called from insertion to deletion`() throws {
    try context.performAndWait {
      let guest = Guest(context: context)
      guest.name = "Ada"
      #expect(
        guest.takeHooks() == ["awakeFromInsert"] && guest.value(forKey: "mood") as? String == "new")
      try context.save()
      #expect(guest.takeHooks() == ["willSave", "validateForInsert", "didSave"])
      guest.nights = 2
      try context.save()
      #expect(guest.takeHooks() == ["willSave", "validateForUpdate", "didSave"])
      #expect(guest.value(forKey: "mood") as? String == "new")
      context.refresh(guest, mergeChanges: false)
      #expect(guest.takeHooks() == ["willTurnIntoFault", "didTurnIntoFault"])
      #expect(guest.nights == 2 && guest.value(forKey: "mood") as? String == "known")
      #expect(guest.takeHooks() == ["awakeFromFetch"] && !guest.hasChanges)
      context.delete(guest)
      #expect(guest.takeHooks() == ["prepareForDeletion"] && guest.isDeleted)
      try context.save()
      #expect(guest.takeHooks() == ["willSave", "validateForDelete", "didSave deleted"])
      #expect(!guest.isDeleted && guest.managedObjectContext == nil)
    }
  }

  @Test func `willSave may change the object and is called again`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.reactions["willSave"] = { guest in if guest.nights < 4 { guest.nights += 1 } }
      guest.nights = 2
      try context.save()
      #expect(
        guest.takeHooks() == ["willSave", "willSave", "willSave", "validateForUpdate", "didSave"])
      #expect(guest.nights == 4 && !context.hasChanges)
    }
  }

  @Test func `A primitive value set in willSave is saved`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.reactions["willSave"] = { $0.setPrimitiveValue(7, forKey: "nights") }
      guest.name = "Eve"
      try context.save()
      #expect(guest.takeHooks() == ["willSave", "validateForUpdate", "didSave"])
      #expect(guest.nights == 7 && !context.hasChanges)
      #expect(try nights(of: guest) == 7)
    }
  }

  @Test func `A primitive value set in awakeFromFetch is saved with the next change`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.reactions["awakeFromFetch"] = { $0.setPrimitiveValue(7, forKey: "nights") }
      context.refresh(guest, mergeChanges: false)
      #expect(guest.nights == 7 && !guest.hasChanges)
      guest.name = "Eve"
      try context.save()
      #expect(guest.nights == 7)
      #expect(try nights(of: guest) == 7)
    }
  }

  @Test func `A primitive value set in a child's awakeFromFetch is saved by its parent`() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait {
      let guest = try saved("Ada")
      let identifier = guest.objectID
      try child.performAndWait {
        let copy = try #require(child.object(with: identifier) as? Guest)
        copy.reactions["awakeFromFetch"] = { $0.setPrimitiveValue(7, forKey: "nights") }
        copy.name = "Eve"
        try child.save()
      }
      #expect(guest.changedValues().keys.sorted() == ["name", "nights"])
      try context.save()
      #expect(try nights(of: guest) == 7)
    }
  }

  @Test func `A primitive value set in willSave is saved by a parent`() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait {
      let guest = try saved("Ada")
      let identifier = guest.objectID
      try child.performAndWait {
        let copy = try #require(child.object(with: identifier) as? Guest)
        copy.reactions["willSave"] = { $0.setPrimitiveValue(7, forKey: "nights") }
        copy.name = "Eve"
        try child.save()
      }
      #expect(guest.nights == 7 && guest.changedValues().keys.sorted() == ["name", "nights"])
      try context.save()
      #expect(try nights(of: guest) == 7)
    }
  }

  @Test
  func
    `A primitive value does not mark an object as changed, and a rollback reverts it`()
    throws
  {
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.setPrimitiveValue(7, forKey: "nights")
      #expect(guest.nights == 7 && !guest.hasChanges && !context.hasChanges)
      guest.name = "Eve"
      context.rollback()
      #expect(guest.nights == 1 && guest.name == "Ada")
      guest.name = "Eve"
      try context.save()
      #expect(try nights(of: guest) == 1)
    }
  }

  @Test
  func `Transient values survive a refresh that keeps changes, and do not count as changes`()
    throws
  {
    try context.performAndWait {
      let identifier = try saved("Ada").objectID
      context.reset()
      let guest = try #require(context.object(with: identifier) as? Guest)
      #expect(guest.value(forKey: "mood") as? String == "known")
      guest.nights = 4
      let other = kitchen.container.newBackgroundContext()
      try other.performAndWait {
        try #require(other.object(with: identifier) as? Guest).name = "Eve"
        try other.save()
      }
      context.refresh(guest, mergeChanges: true)
      #expect(
        guest.name == "Eve" && guest.nights == 4
          && guest.value(forKey: "mood") as? String == "known")
      guest.setValue("glad", forKey: "mood")
      #expect(guest.changedValues().keys.sorted() == ["nights"])
      #expect(guest.changedValuesForCurrentEvent().keys.sorted() == ["nights"])
      context.refresh(guest, mergeChanges: true)
      #expect(guest.value(forKey: "mood") as? String == "glad" && guest.nights == 4)
    }
  }

  /// The number of nights in the store.
  private func nights(of guest: Guest) throws -> Int? {
    let identifier = guest.objectID
    let other = kitchen.container.newBackgroundContext()
    return try other.performAndWait {
      let request = NSFetchRequest<NSDictionary>(entityName: "Guest")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["nights"]
      request.predicate = NSPredicate(format: "SELF == %@", identifier)
      return try other.fetch(request).first?["nights"] as? Int
    }
  }

  @Test func `willSave may insert and delete other objects`() throws {
    try context.performAndWait {
      let (guest, other) = (try saved("Ada"), try saved("Bob"))
      guest.reactions["willSave"] = { [context] guest in
        guest.reactions = [:]
        Guest(context: context).name = "Cy"
        context.delete(other)
      }
      guest.nights = 2
      try context.save()
      #expect(
        other.takeHooks() == [
          "prepareForDeletion", "willSave", "validateForDelete", "didSave deleted",
        ])
      let request = NSFetchRequest<Guest>(entityName: "Guest")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      #expect(try context.fetch(request).map(\.name) == ["Ada", "Cy"])
    }
  }

  @Test func `Changes in didSave belong to the next save`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.reactions["didSave"] = { guest in
        guest.reactions = [:]
        guest.nights = 9
      }
      guest.nights = 2
      try context.save()
      #expect(
        context.hasChanges && guest.isUpdated && guest.changedValues().keys.sorted() == ["nights"])
      try context.save()
      #expect(!context.hasChanges && guest.nights == 9)
    }
  }

  @Test func `A failed validation leaves everything unsaved`() throws {
    struct TooTired: Error {}
    try context.performAndWait {
      let guest = try saved("Ada")
      guest.reactions["validateForUpdate"] = { _ in throw TooTired() }
      guest.nights = 2
      let new = Guest(context: context)
      new.name = "Bob"
      #expect(throws: TooTired.self) { try context.save() }
      #expect(guest.takeHooks() == ["willSave", "validateForUpdate"])
      #expect(guest.isUpdated && new.isInserted && new.objectID.isTemporaryID)
      guest.reactions = [:]
      try context.save()
      #expect(!context.hasChanges && !new.objectID.isTemporaryID)
    }
  }

  @Test func `Undo and rollback report what they restored`() throws {
    try context.performAndWait {
      context.undoManager = ManagedObjects.UndoManager()
      let guest = try saved("Ada")
      context.undoManager?.removeAllActions()
      guest.nights = 5
      context.undo()
      #expect(guest.takeHooks() == ["awake\(NSSnapshotEventType.undoUpdate.rawValue)"])
      context.delete(guest)
      context.undo()
      #expect(guest.takeHooks().last == "awake\(NSSnapshotEventType.undoDeletion.rawValue)")
      guest.nights = 6
      context.rollback()
      #expect(guest.takeHooks() == ["awake\(NSSnapshotEventType.rollback.rawValue)"])
    }
  }

  @Test func `Refreshes and merge policies report that they changed an object`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      let other = kitchen.container.newBackgroundContext()
      for nights in [4, 5] {
        guest.nights = nights
        try other.performAndWait {
          try #require(other.object(with: guest.objectID) as? Guest).name = "Eve \(nights)"
          try other.save()
          other.reset()
        }
        if nights == 4 {
          context.refresh(guest, mergeChanges: true)
          #expect(guest.takeHooks() == ["awake\(NSSnapshotEventType.refresh.rawValue)"])
        }
      }
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      let merged = "awake\(NSSnapshotEventType.mergePolicy.rawValue)"
      #expect(guest.takeHooks() == ["willSave", "validateForUpdate", merged, "didSave"])
      #expect(guest.name == "Eve 5" && guest.nights == 5)
    }
  }

  @Test func `Transient values set after a rollback do not count as changes`() throws {
    try context.performAndWait {
      let guest = try saved("Ada")
      let event = "awake\(NSSnapshotEventType.rollback.rawValue)"
      guest.reactions[event] = { $0.setValue("back", forKey: "mood") }
      guest.nights = 5
      context.rollback()
      #expect(guest.value(forKey: "mood") as? String == "back" && guest.nights == 1)
      #expect(!context.hasChanges && !guest.hasChanges)
    }
  }

  @Test func `An object that is never fetched does not awake`() throws {
    let identifier = try context.performAndWait { try saved("Ada").objectID }
    let other = kitchen.container.newBackgroundContext()
    try other.performAndWait {
      let guest = try #require(other.object(with: identifier) as? Guest)
      #expect(guest.hooks == [] && guest.isFault)
      other.delete(guest)
      try other.save()
      #expect(guest.hooks.first == "prepareForDeletion" && guest.hooks.last == "didSave deleted")
    }
  }
}
