import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// An application that keeps some recipes in a separate store, and others in a read-only one.
@Suite struct SeveralStoresTests {
  private let kitchen: Kitchen
  private let archive: NSPersistentStore
  private let first: NSPersistentStore

  init() throws {
    kitchen = try Kitchen()
    archive = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Archive.sqlite"))
    first = kitchen.coordinator.persistentStores[0]
    try kitchen.inContext { context in
      for (number, title) in ["A", "B", "C", "D", "E", "F"].enumerated() {
        let recipe = context.recipe(
          title, ["servings": number % 3 + 1, "tags": ["t\(number % 2)"]])
        if number.isMultiple(of: 2) { context.assign(recipe, to: archive) }
      }
      try context.save()
    }
  }

  private func request(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    return request
  }

  @Test func `A fetch merges the results of the stores`() throws {
    try kitchen.inContext { context in
      let found = try context.fetch(request())
      #expect(found.map(\.dishTitle) == ["F", "E", "D", "C", "B", "A"])
      #expect(
        found.map { $0.objectID.persistentStore === archive } == [
          false, true, false, true, false, true,
        ])
      let part = request()
      (part.fetchOffset, part.fetchLimit) = (1, 3)
      #expect(try context.fetch(part).map(\.dishTitle) == ["E", "D", "C"])
      #expect(try context.count(for: part) == 3)
      let batched = request()
      batched.fetchBatchSize = 2
      #expect(try context.fetch(batched).map(\.dishTitle) == ["F", "E", "D", "C", "B", "A"])
      let limited = request("servings >= 2")
      limited.affectedStores = [archive]
      #expect(try context.fetch(limited).map(\.dishTitle) == ["E", "C"])
      #expect(try context.count(for: limited) == 2)
    }
  }

  @Test func `A context can save after the store of a batched fetch was removed`() throws {
    try kitchen.inContext { context in
      let batched = request()
      batched.affectedStores = [archive]
      batched.fetchBatchSize = 2
      let found = try context.fetch(batched)
      try kitchen.coordinator.remove(archive)
      #expect(found.map(\.dishTitle) == ["", "", ""])
      #expect(!context.hasChanges && found.allSatisfy { !$0.isDeleted && !$0.isFault })
      context.recipe("New")
      try context.save()
      #expect(try kitchen.inContext { try $0.titles() } == ["B", "D", "F", "New"])
    }
  }

  @Test func `Other result types also come from all stores`() throws {
    try kitchen.inContext { (context) throws in
      let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Recipe")
      identifiers.resultType = .managedObjectIDResultType
      identifiers.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(
        try context.fetch(identifiers).map { context.object(with: $0).dishTitle } == [
          "A", "B", "C", "D", "E", "F",
        ])
      (identifiers.fetchOffset, identifiers.fetchLimit) = (1, 2)
      #expect(
        try context.fetch(identifiers).map { context.object(with: $0).dishTitle } == ["B", "C"])
      (identifiers.fetchOffset, identifiers.fetchLimit) = (-1, 2)
      #expect(
        try context.fetch(identifiers).map { context.object(with: $0).dishTitle } == ["A", "B"])
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Recipe")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["servings"]
      dictionaries.returnsDistinctResults = true
      dictionaries.sortDescriptors = [NSSortDescriptor(key: "servings", ascending: true)]
      #expect(try context.fetch(dictionaries).compactMap { $0["servings"] as? Int } == [1, 2, 3])
      dictionaries.fetchLimit = 2
      #expect(try context.fetch(dictionaries).compactMap { $0["servings"] as? Int } == [1, 2])
    }
  }

  @Test func `Dictionaries of several stores are sorted by properties that they omit`() throws {
    try kitchen.inContext { (context) throws in
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Recipe")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["servings"]
      dictionaries.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      dictionaries.fetchLimit = 4
      #expect(
        try context.fetch(dictionaries) == [
          ["servings": 3], ["servings": 2], ["servings": 1], ["servings": 3],
        ])
    }
  }

  @Test func `Unsaved changes are merged with the results of all stores`() throws {
    try kitchen.inContext { context in
      for recipe in try context.fetch(request("title IN {'A', 'B'}")) {
        recipe.setValue("Z", forKey: "title")
      }
      context.recipe("Y")
      #expect(try context.fetch(request()).map(\.dishTitle) == ["Z", "Z", "Y", "F", "E", "D", "C"])
      #expect(try context.count(for: request("title > 'X'")) == 3)
    }
  }

  @Test func `Objects of different stores are not related`() throws {
    try kitchen.inContext { context in
      let recipe = try #require(try context.fetch(request("title == 'A'")).first)
      let ingredient = NSEntityDescription.insertNewObject(
        forEntityName: "Ingredient", into: context)
      ingredient.setValue(recipe, forKey: "recipe")
      context.assign(ingredient, to: first)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectExternalRelationshipError)
      context.assign(ingredient, to: archive)
      try context.save()
      #expect(ingredient.objectID.persistentStore === archive)
    }
  }

  @Test func `Members of different stores are not related either`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let second = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    let (company, site) = (context.company("Ice"), context.insert("Site"))
    context.assign(site, to: second)
    company.sites = [site]
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectExternalRelationshipError)
    company.sites = []
    try context.save()
    #expect(site.objectID.persistentStore === second && company.objectID.persistentStore !== second)
  }

  @Test func `A new object goes to the first writable store`() throws {
    let file = kitchen.folder.appendingPathComponent("Kitchen.sqlite")
    try kitchen.coordinator.remove(first)
    try kitchen.coordinator.remove(archive)
    let readOnly = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: file, options: [NSReadOnlyPersistentStoreOption: true])
    let writable = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Archive.sqlite"))
    try kitchen.inContext { context in
      let recipe = context.recipe("New")
      try context.save()
      #expect(recipe.objectID.persistentStore === writable)
      let old = try #require(try context.fetch(request("title == 'B'")).first)
      #expect(old.objectID.persistentStore === readOnly)
      old.setValue(9, forKey: "servings")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSFileWriteNoPermissionError)
      context.rollback()
      #expect(!context.hasChanges)
    }
  }

  @Test func `A read-only store undoes the save in the others`() throws {
    try kitchen.coordinator.remove(archive)
    let readOnly = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Archive.sqlite"),
      options: [NSReadOnlyPersistentStoreOption: true])
    try kitchen.inContext { context in
      let (there, here) = try (
        #require(try context.fetch(request("title == 'A'")).first),
        #require(try context.fetch(request("title == 'B'")).first)
      )
      #expect(there.objectID.persistentStore === readOnly)
      let new = context.recipe("New")
      for recipe in [there, here] { recipe.setValue(9, forKey: "servings") }
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSFileWriteNoPermissionError)
      #expect(new.objectID.isTemporaryID && new.isInserted && here.isUpdated && there.isUpdated)
      #expect(try kitchen.inContext { try $0.titles("servings == 9 OR title == 'New'") } == [])
      context.refresh(there, mergeChanges: false)
      try context.save()
      #expect(
        try kitchen.inContext { try $0.titles("servings == 9 OR title == 'New'") } == ["B", "New"])
    }
  }

  @Test(arguments: [false, true])
  func `A conflict in a later store undoes the save in the first`(isResolved: Bool) throws {
    try kitchen.inContext { context in
      let (there, here) = try (
        #require(try context.fetch(request("title == 'A'")).first),
        #require(try context.fetch(request("title == 'B'")).first)
      )
      try kitchen.inContext { other in
        try other.existingObject(with: there.objectID).setValue(5, forKey: "servings")
        try other.save()
      }
      there.setValue("A2", forKey: "title")
      here.setValue("B2", forKey: "title")
      if isResolved { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
      let error = isResolved ? nil : #expect(throws: NSError.self) { try context.save() }
      if isResolved { try context.save() }
      #expect(error?.code == (isResolved ? nil : NSManagedObjectMergeError))
      #expect(context.hasChanges == !isResolved)
      let titles = try kitchen.inContext { try $0.titles("title ENDSWITH '2'") }
      #expect(titles == (isResolved ? ["A2", "B2"] : []))
      if isResolved { #expect(there.value(forKey: "servings") as? Int == 5) }
    }
  }

  @Test func `If a store cannot be copied, the store stays and the copy is removed`() throws {
    try kitchen.inContext { context in
      context.recipe("Big", ["photo": Data(repeating: 7, count: 500_000)])
      try context.save()
    }
    let values = kitchen.folder.appendingPathComponent(".Kitchen_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).count == 1)
    try FileManager.default.removeItem(at: values)
    let before = kitchen.coordinator.persistentStores
    let copy = kitchen.folder.appendingPathComponent("Copy.sqlite")
    #expect(throws: (any Error).self) {
      try kitchen.coordinator.migratePersistentStore(first, to: copy, type: .sqlite)
    }
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect(kitchen.coordinator.persistentStores == before)
    #expect(try kitchen.inContext { try $0.titles() } == ["A", "B", "Big", "C", "D", "E", "F"])
  }

  @Test func `A UUID that cannot be written is not assigned`() throws {
    try kitchen.coordinator.remove(archive)
    let readOnly = try kitchen.coordinator.addPersistentStore(
      type: .sqlite, at: kitchen.folder.appendingPathComponent("Archive.sqlite"),
      options: [NSReadOnlyPersistentStoreOption: true])
    let former = try #require(readOnly.identifier)
    readOnly.metadata = [NSStoreUUIDKey: UUID().uuidString]
    #expect(readOnly.identifier == former)
  }

  @Test func `A URI becomes an identifier of its store`() throws {
    let identifiers = try kitchen.inContext { context in
      try context.fetch(request()).map(\.objectID)
    }
    for identifier in identifiers {
      let uri = identifier.uriRepresentation()
      let found = try #require(kitchen.coordinator.managedObjectID(forURIRepresentation: uri))
      #expect(found == identifier && found.persistentStore === identifier.persistentStore)
    }
    try kitchen.coordinator.remove(archive)
    let gone = identifiers.filter { $0.persistentStore == nil }
    #expect(gone.count == 3)
    for identifier in gone {
      #expect(
        kitchen.coordinator.managedObjectID(forURIRepresentation: identifier.uriRepresentation())
          == nil)
    }
  }
}
