import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A form that is edited in a child context and saved or discarded as a whole.
@Suite struct NestedContextTests {
  private let kitchen: Kitchen
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    kitchen = try Kitchen()
    parent = kitchen.container.newBackgroundContext()
    child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    try kitchen.inContext { context in
      for title in ["Soup", "Pie", "Tea"] {
        context.recipe(title, ["rating": 3.0, "tags": ["plain"]])
      }
      try context.save()
    }
  }

  @Test func `A child's save notifies in both contexts and changes only the parent`() throws {
    let (ofChild, ofParent) = (
      Listener(child, .NSManagedObjectContextDidSave),
      Listener(parent, .NSManagedObjectContextObjectsDidChange)
    )
    try child.performAndWait {
      let pie = try #require(try child.recipes(NSPredicate(format: "title == 'Pie'")).first)
      pie.setValuesForKeys(["rating": 5.0, "tags": ["best"], "plate": ["width": 12.5]])
      child.recipe("Cake")
      child.delete(try #require(try child.recipes(NSPredicate(format: "title == 'Tea'")).first))
      try child.save()
      #expect(!child.hasChanges)
    }
    #expect(ofChild.notifications.count == 1)
    try parent.performAndWait {
      #expect(
        parent.insertedObjects.count == 1 && parent.updatedObjects.count == 1
          && parent.deletedObjects.count == 1)
      #expect(ofParent.objects(NSInsertedObjectsKey).joined().map { $0.dishTitle } == ["Cake"])
      let pie = try #require(parent.updatedObjects.first)
      #expect(
        pie.value(forKey: "rating") as? Double == 5
          && pie.value(forKey: "tags") as? [String] == ["best"])
      #expect(pie.value(forKeyPath: "plate.width") as? Double == 12.5)
      #expect(try parent.titles() == ["Cake", "Pie", "Soup"])
      try kitchen.inContext { (context) throws in
        #expect(try context.titles() == ["Pie", "Soup", "Tea"])
      }
      try parent.save()
    }
    try kitchen.inContext { (context) throws in
      #expect(try context.titles("rating == 5") == ["Pie"])
    }
  }

  @Test func `A discarded child context leaves no trace`() throws {
    try child.performAndWait {
      child.recipe("Cake")
      try #require(try child.recipes().first).setValue("Other", forKey: "title")
      child.reset()
      #expect(!child.hasChanges)
    }
    try parent.performAndWait { () throws in
      #expect(!parent.hasChanges)
      #expect(try parent.titles() == ["Pie", "Soup", "Tea"])
    }
  }

  @Test func `An object of the parent is found by its identifier, saved or not`() throws {
    let (saved, unsaved) = try parent.performAndWait {
      (
        try #require(try parent.recipes().first).objectID,
        parent.recipe("New", ["tags": ["x"]]).objectID
      )
    }
    try child.performAndWait {
      #expect(try child.existingObject(with: saved).dishTitle == "Pie")
      let new = try child.existingObject(with: unsaved)
      #expect(
        new.dishTitle == "New" && new.value(forKey: "tags") as? [String] == ["x"]
          && unsaved.isTemporaryID)
      new.setValue("Newer", forKey: "title")
      #expect(new.isUpdated && !new.isInserted)
      try child.save()
    }
    try parent.performAndWait {
      #expect(parent.insertedObjects.map(\.dishTitle) == ["Newer"])
      try parent.save()
    }
    try kitchen.inContext { (context) throws in
      #expect(try context.titles("title == 'Newer'") == ["Newer"])
    }
  }

  @Test func `A child that merges automatically sees its parent's saves`() throws {
    let pie = try child.performAndWait {
      child.automaticallyMergesChangesFromParent = true
      child.retainsRegisteredObjects = true
      let pie = try #require(try child.recipes().first)
      #expect(pie.dishTitle == "Pie")
      return pie.objectID
    }
    try parent.performAndWait {
      parent.object(with: pie).setValue(1.0, forKey: "rating")
      try parent.save()
    }
    // The merge was enqueued on the child's queue before the save returned.
    child.performAndWait {}
    child.performAndWait {
      #expect(child.object(with: pie).value(forKey: "rating") as? Double == 1)
    }
  }

  @Test func `The last of two children to save wins without a conflict`() throws {
    let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    second.parent = parent
    for (context, rating) in [(child, 1.0), (second, 2.0)] {
      try context.performAndWait {
        try #require(try context.recipes().first).setValue(rating, forKey: "rating")
      }
    }
    for context in [child, second] { try context.performAndWait { try context.save() } }
    try parent.performAndWait {
      #expect(try parent.recipes().first?.value(forKey: "rating") as? Double == 2)
      try parent.save()
    }
  }

  @Test func `A main-queue child saves to a parent that saves in the background`()
    async throws
  {
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.parent = parent
    let identifier = try await main.perform {
      let recipe = main.recipe("Bread")
      try main.obtainPermanentIDs(for: [recipe])
      try main.save()
      return recipe.objectID
    }
    #expect(!identifier.isTemporaryID)
    try await parent.perform { [parent] in try parent.save() }
    try kitchen.inContext { (context) throws in
      #expect(try context.existingObject(with: identifier).dishTitle == "Bread")
    }
  }

  @Test func `A grandchild of a main-queue context reads, and saves through it`() async throws {
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.parent = parent
    let (middle, grandchild) = (
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    )
    middle.parent = main
    grandchild.parent = middle
    try await grandchild.perform {
      let pie = try #require(try grandchild.recipes().first)
      #expect(pie.value(forKey: "title") != nil && pie.value(forKey: "cook") == nil)
      _ = grandchild.recipe("Bread")
      try grandchild.save()
    }
    for context in [middle, main, parent] { try await context.perform { try context.save() } }
    let titles = try await grandchild.perform { try grandchild.titles("title == 'Bread'") }
    #expect(titles == ["Bread"])
  }

  @Test func `Invalid objects stay in the child`() throws {
    try child.performAndWait {
      let recipe = child.recipe("A title that is far too long for this")
      let error = #expect(throws: NSError.self) { try child.save() }
      #expect(error?.code == NSValidationStringTooLongError && recipe.isInserted)
      recipe.setValue("Short", forKey: "title")
      try child.save()
    }
    parent.performAndWait { #expect(parent.insertedObjects.map(\.dishTitle) == ["Short"]) }
  }

  @Test func `Conflicts with the store are resolved by the parent`() throws {
    try child.performAndWait {
      try #require(try child.recipes().first).setValue(1.0, forKey: "rating")
      try child.save()
    }
    try kitchen.inContext { context in
      try #require(try context.recipes().first).setValue(4.0, forKey: "rating")
      try context.save()
    }
    try parent.performAndWait {
      let error = #expect(throws: NSError.self) { try parent.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try parent.save()
    }
    try kitchen.inContext { (context) throws in
      #expect(try context.titles("rating == 1") == ["Pie"])
    }
  }

  @Test
  func `A child's fetch includes the parent's changes and its own, in order and within limits`()
    throws
  {
    try parent.performAndWait {
      parent.recipe("Apple pie")
      parent.delete(try #require(try parent.recipes(NSPredicate(format: "title == 'Soup'")).first))
    }
    try child.performAndWait {
      child.recipe("Zest")
      child.delete(try #require(try child.recipes(NSPredicate(format: "title == 'Pie'")).first))
      #expect(try child.titles() == ["Apple pie", "Tea", "Zest"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      (request.fetchOffset, request.fetchLimit) = (1, 1)
      #expect(try child.fetch(request).map(\.dishTitle) == ["Tea"])
      #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Recipe")) == 3)
    }
  }
}
