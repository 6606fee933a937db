import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

/// Unique values and composite values in an application's saves.
@Suite struct ConstraintSaveTests {
  private static func model() -> NSManagedObjectModel {
    let model = KitchenModel.make()
    model.entitiesByName["Cook"]?.uniquenessConstraints = [["name"]]
    return model
  }

  private let kitchen: Kitchen
  init() throws { kitchen = try Kitchen(model: Self.model()) }

  private func cook(_ name: String?, _ context: NSManagedObjectContext) -> NSManagedObject {
    let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
    cook.setValue(name, forKey: "name")
    return cook
  }

  private func names(_ context: NSManagedObjectContext) throws -> [String?] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Cook")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request).map { $0.value(forKey: "name") as? String }
  }

  @Test func `Two missing values do not violate a constraint`() throws {
    try kitchen.inContext { context in
      _ = (cook(nil, context), cook(nil, context))
      try context.save()
      #expect(try names(context) == [nil, nil])
    }
  }

  @Test func `Two objects swap their values in one save`() throws {
    try kitchen.inContext { context in
      let (one, two) = (cook("Ada", context), cook("Bob", context))
      try context.save()
      one.setValue("Bob", forKey: "name")
      two.setValue("Ada", forKey: "name")
      try context.save()
      #expect(
        try names(context) == ["Ada", "Bob"] && one.value(forKey: "name") as? String == "Bob")
    }
  }

  @Test func `A value is free if its object is deleted in the same save`() throws {
    try kitchen.inContext { context in
      let former = cook("Ada", context)
      try context.save()
      context.delete(former)
      let new = cook("Ada", context)
      try context.save()
      #expect(try names(context) == ["Ada"] && new.objectID != former.objectID)
    }
  }

  @Test func `A change to a taken value is a conflict`() throws {
    try kitchen.inContext { context in
      _ = cook("Ada", context)
      let bob = cook("Bob", context)
      try context.save()
      bob.setValue("Ada", forKey: "name")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      bob.setValue("Cy", forKey: "name")
      try context.save()
      #expect(try names(context) == ["Ada", "Cy"])
    }
  }

  // MARK: Composite values

  @Test func `Elements of a composite that the model does not know are ignored`() throws {
    let identifier = try kitchen.inContext { context in
      let soup = context.recipe(
        "Soup", ["plate": ["width": 1.5, "weight": 3, "colour": NSNull()] as [String: Any]])
      try context.save()
      return soup.objectID
    }
    try kitchen.inContext { context in
      let plate =
        try context.existingObject(with: identifier).value(forKey: "plate") as? [String: Any]
      #expect(plate?.keys.sorted() == ["width"] && plate?["width"] as? Double == 1.5)
    }
  }

  @Test func `A missing required element is reported at the save`() throws {
    let model = Self.model()
    let plate =
      model.entitiesByName["Recipe"]?.attributesByName["plate"] as? NSCompositeAttributeDescription
    plate?.elements.first?.isOptional = false
    let kitchen = try Kitchen(model: model)
    try kitchen.inContext { context in
      let soup = context.recipe("Soup", ["plate": ["colour": "red"]])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "plate.width")
      soup.setValue(2.0, forKeyPath: "plate.width")
      try context.save()
    }
  }

  // MARK: Several stores

  @Test func `A taken value in a later store undoes the save in the first store`() throws {
    let second = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Second.sqlite"))
    let taken = try kitchen.inContext { context in
      let ada = cook("Ada", context)
      context.assign(ada, to: second)
      try context.save()
      return ada.objectID
    }
    let context = kitchen.container.newBackgroundContext()
    let saves = Listener(context, .NSManagedObjectContextDidSave)
    try context.performAndWait {
      let (bob, clash) = (cook("Bob", context), cook("Ada", context))
      context.assign(clash, to: second)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(saves.notifications.isEmpty && context.insertedObjects == [bob, clash])
      #expect(try kitchen.inContext { try names($0) } == ["Ada"])
      context.delete(clash)
      try context.save()
      #expect(try names(context) == ["Ada", "Bob"] && taken.persistentStore === second)
    }
  }

  /// Makes a store fail its saves at the end, which no check can foresee.
  private final class RefusingCompanion: SaveCompanion {
    struct Refused: Error {}

    func noteSave(
      _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
      on connection: Connection
    ) throws { throw Refused() }

    func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {}

    func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) {}
  }

  @Test func `A store that saved keeps its changes when another fails at the end`() throws {
    let second = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Second.sqlite"))
    let store = try #require(kitchen.coordinator.openStores.last?.rowStore as? SQLiteRowStore)
    store.companion = RefusingCompanion()
    let context = kitchen.container.newBackgroundContext()
    let saves = Listener(context, .NSManagedObjectContextDidSave)
    try context.performAndWait {
      let (bob, late) = (cook("Bob", context), cook("Ada", context))
      context.assign(late, to: second)
      let identifier = late.objectID
      #expect(throws: (any Error).self) { try context.save() }
      #expect(saves.objects(NSInsertedObjectsKey) == [[bob]])
      #expect(context.insertedObjects == [late] && !bob.hasChanges && !bob.objectID.isTemporaryID)
      #expect(late.objectID == identifier && identifier.isTemporaryID)
      store.companion = nil
      try context.save()
      #expect(try names(context) == ["Ada", "Bob"] && late.objectID.persistentStore === second)
    }
  }
}
