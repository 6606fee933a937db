import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Values that an application stores, reads back and searches for.
@Suite struct StoredValueTests {
  @Test(arguments: [
    "0.1", "5", "-0.3", "12345678901234567890", "1234.5678901234567891", "0.00000000000000000001",
    "99999999.99",
  ])
  func `A decimal is found by its value`(_ text: String) throws {
    let kitchen = try Kitchen()
    let decimal = try #require(Decimal(string: text))
    try kitchen.inContext { context in
      context.recipe("Soup", ["price": NSDecimalNumber(decimal: decimal)])
      try context.save()
    }
    try kitchen.inContext { (context) throws in
      #expect(try context.titles("price == %@", NSDecimalNumber(decimal: decimal)) == ["Soup"])
      #expect(try context.titles("price IN %@", [decimal]) == ["Soup"])
      #expect(try context.titles("price > %@", decimal) == [])
    }
  }

  @Test func `Date arithmetic agrees in the store and in memory`() throws {
    let kitchen = try Kitchen()
    let noon = Date(timeIntervalSinceReferenceDate: 700_000_000)
    try kitchen.inContext { context in
      context.recipe("Bread", ["cooked": noon])
      context.recipe("Soup", ["cooked": noon.addingTimeInterval(-7200)])
      try context.save()
      let formats = [
        "cooked + 3600 > %@", "cooked > %@ - 3600", "(%@ - cooked) < 3600", "%@ <= 60 + cooked",
      ]
      for format in formats { #expect(try context.titles(format, noon) == ["Bread"], "\(format)") }
      // The same, with unsaved changes of the context.
      for recipe in try context.recipes() { recipe.setValue(1, forKey: "servings") }
      context.recipe("Pie", ["cooked": noon])
      for format in formats {
        #expect(try context.titles(format, noon) == ["Bread", "Pie"], "\(format)")
      }
      let seconds = noon.timeIntervalSinceReferenceDate
      #expect(
        try context.titles("cooked >= %@ AND cooked == %@", seconds, seconds) == ["Bread", "Pie"])
    }
  }

  @Test func `An accessor of type TimeInterval reads and sets a date`() throws {
    let kitchen = try Kitchen()
    let properties = kitchen.container.managedObjectModel.entitiesByName["Recipe"]?
      .propertiesInRowOrder
    let ordinal = try #require(properties?.firstIndex { $0.name == "cooked" })
    try kitchen.inContext { context in
      let soup = context.recipe("Soup")
      let missing: TimeInterval = soup._get(ordinal, "cooked")
      #expect(missing == 0)
      soup._set(ordinal, "cooked", 700.5)
      try context.save()
    }
    try kitchen.inContext { context in
      let soup = try #require(try context.recipes().first)
      #expect(
        soup.value(forKey: "cooked") as? Date == Date(timeIntervalSinceReferenceDate: 700.5))
      let (byOrdinal, byName): (TimeInterval, TimeInterval?) = (
        soup._get(ordinal, "cooked"), soup._get("cooked")
      )
      #expect(byOrdinal == 700.5 && byName == 700.5)
      soup._set("cooked", 800.5)
      #expect(
        soup.value(forKey: "cooked") as? Date == Date(timeIntervalSinceReferenceDate: 800.5))
      soup._setPrimitive("cooked", 900.5)
      let primitive: TimeInterval = soup._getPrimitive("cooked")
      #expect(primitive == 900.5)
      soup._set(ordinal, "cooked", TimeInterval?.none)
      #expect(soup.value(forKey: "cooked") == nil)
    }
  }

  @Test func `Dictionaries hold typed values`() throws {
    let kitchen = try Kitchen()
    let photo = Data(repeating: 7, count: 200_000)
    try kitchen.inContext { context in
      let soup = context.recipe(
        "Soup", ["tags": ["hot", "cheap"], "photo": photo, "plate": ["width": 20.5]])
      let carrot = NSEntityDescription.insertNewObject(forEntityName: "Ingredient", into: context)
      carrot.setValue(soup, forKey: "recipe")
      carrot.setValue("carrot", forKey: "name")
      try context.save()
      for properties in [nil, ["title", "tags", "photo", "plate"]] as [[Any]?] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        let found = try #require(try context.fetch(request).first)
        #expect(found["tags"] as? [String] == ["hot", "cheap"])
        #expect(found["photo"] as? Data == photo)
        #expect((found["plate"] as? [String: Any])?["width"] as? Double == 20.5)
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Ingredient")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["recipe.tags", "recipe.photo", "name"]
      let found = try #require(try context.fetch(request).first)
      #expect(found["recipe.tags"] as? [String] == ["hot", "cheap"])
      #expect(found["recipe.photo"] as? Data == photo)
    }
  }

  @Test func `Dictionaries of groups hold typed values`() throws {
    let kitchen = try Kitchen()
    try kitchen.inContext { context in
      for (title, tags) in [("Soup", ["hot"]), ("Stew", ["hot"]), ("Salad", ["cold"])] {
        context.recipe(title, ["tags": tags])
      }
      try context.save()
      let count = NSExpressionDescription()
      count.name = "count"
      count.expression = PredicateLanguage.NSExpression(format: "count:(title)")
      count.expressionResultType = .integer64AttributeType
      let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["tags", count]
      request.propertiesToGroupBy = ["tags"]
      request.havingPredicate = NSPredicate(format: "count:(title) > 1")
      let found = try context.fetch(request)
      #expect(found.map { $0["tags"] as? [String] } == [["hot"]])
      #expect(found.first?["count"] as? Int == 2)
    }
  }

  @Test func `Objects of a partial fetch have all properties`() throws {
    let kitchen = try Kitchen()
    try kitchen.inContext { context in
      context.recipe("Soup", ["tags": ["hot"], "rating": 4.5])
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
      request.propertiesToFetch = ["title"]
      let soup = try #require(try context.fetch(request).first)
      #expect(soup.dishTitle == "Soup" && soup.value(forKey: "tags") as? [String] == ["hot"])
      #expect(soup.value(forKey: "rating") as? Double == 4.5)
    }
  }

  @Test func `Derived attributes have their values after the save and a refresh`() throws {
    let kitchen = try Kitchen()
    try kitchen.inContext { context in
      let soup = context.recipe("Crème")
      #expect(soup.value(forKey: "slug") == nil)
      let salt = NSEntityDescription.insertNewObject(forEntityName: "Ingredient", into: context)
      salt.setValue(soup, forKey: "recipe")
      try context.save()
      context.refresh(soup, mergeChanges: false)
      #expect(soup.value(forKey: "slug") as? String == "creme")
      #expect(soup.value(forKey: "parts") as? Int == 1)
      soup.setValue("Brûlée", forKey: "title")
      context.delete(salt)
      try context.save()
      context.refresh(soup, mergeChanges: true)
      #expect(soup.value(forKey: "slug") as? String == "brulee")
      #expect(soup.value(forKey: "parts") as? Int == 0)
      #expect(try context.titles("slug == 'brulee'") == ["Brûlée"])
    }
    try kitchen.inContext { (context) throws in
      #expect(try context.titles("parts == 0") == ["Brûlée"])
    }
  }

  @Test func `Composite attributes are read, set, found and sorted by their elements`() throws {
    let kitchen = try Kitchen()
    try kitchen.inContext { context in
      let soup = context.recipe("Soup", ["plate": ["width": 20.0, "colour": "red"]])
      context.recipe("Pie", ["plate": ["width": 30.0]])
      context.recipe("Tea")
      #expect(soup.value(forKeyPath: "plate.colour") as? String == "red")
      soup.setValue("blue", forKeyPath: "plate.colour")
      #expect(try context.titles("plate.width > 10") == ["Pie", "Soup"])
      try context.save()
      soup.setValue(25.0, forKeyPath: "plate.width")
      #expect(soup.isUpdated && soup.changedValues().keys.sorted() == ["plate"])
      #expect(try context.titles("plate.width == 25") == ["Soup"])
      try context.save()
    }
    try kitchen.inContext { context in
      let soup = try #require(
        try context.recipes(NSPredicate(format: "plate.colour == 'blue'")).first)
      #expect(soup.value(forKeyPath: "plate.width") as? Double == 25)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
      request.sortDescriptors = [NSSortDescriptor(key: "plate.width", ascending: false)]
      #expect(try context.fetch(request).map(\.dishTitle) == ["Pie", "Soup", "Tea"])
      #expect(try context.recipes().last?.value(forKey: "plate") == nil)
      soup.setValue(nil, forKey: "plate")
      try context.save()
      #expect(try context.titles("plate.width > 0") == ["Pie"])
    }
  }

  @Test func `A template makes requests`() throws {
    let kitchen = try Kitchen()
    try kitchen.inContext { context in
      context.recipe("Soup", ["price": NSDecimalNumber(value: 3)])
      context.recipe("Cake", ["price": NSDecimalNumber(value: 9)])
      try context.save()
      let model = kitchen.container.managedObjectModel
      let request = try #require(
        model.fetchRequestFromTemplate(withName: "cheap", substitutionVariables: ["LIMIT": 5]))
      #expect(
        try context.fetch(request).compactMap { ($0 as? NSManagedObject)?.dishTitle } == ["Soup"])
      request.fetchLimit = 1
      #expect(model.fetchRequestTemplate(forName: "cheap")?.fetchLimit == 0)
    }
  }

  @Test func `A value whose file is missing reads as nil, and the error names the file`() throws {
    let kitchen = try Kitchen()
    let identifier = try kitchen.inContext { context in
      let soup = context.recipe("Soup", ["photo": Data(repeating: 1, count: 300_000)])
      #expect(try soup.binaryData(forKey: "photo")?.count == 300_000)
      try context.save()
      return soup.objectID
    }
    let support = kitchen.folder.appendingPathComponent(
      ".Kitchen_SUPPORT/_EXTERNAL_DATA", isDirectory: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: support.path)
    let name = try #require(names.first)
    try FileManager.default.removeItem(at: support.appendingPathComponent(name))
    try kitchen.inContext { context in
      let soup = try context.existingObject(with: identifier)
      #expect(soup.dishTitle == "Soup" && soup.value(forKey: "photo") == nil)
      let error = #expect(throws: NSError.self) { try soup.binaryData(forKey: "photo") }
      #expect(error?.localizedDescription.contains(name) == true)
      // The other values can be changed. The reference to the file stays, so that the file can be
      // restored.
      soup.setValue(3, forKey: "servings")
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
      request.resultType = .dictionaryResultType
      #expect(throws: NSError.self) { try context.fetch(request) }
      soup.setValue(Data([1]), forKey: "photo")
      try context.save()
      #expect(try soup.binaryData(forKey: "photo") == Data([1]))
    }
  }

  @Test func `An assigned UUID is written to the store's file`() throws {
    let kitchen = try Kitchen()
    let store = try #require(kitchen.coordinator.persistentStores.first)
    let uuid = "11111111-2222-3333-4444-555555555555"
    var metadata = kitchen.coordinator.metadata(for: store)
    metadata[NSStoreUUIDKey] = uuid
    metadata["cook"] = "Ada"
    kitchen.coordinator.setMetadata(metadata, for: store)
    #expect(store.identifier == uuid)
    let read = {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: kitchen.file)
    }
    #expect(try read()[NSStoreUUIDKey] as? String == uuid)
    #expect(try read()["cook"] as? String == "Ada")
    let identifier = try kitchen.inContext { context in
      let soup = context.recipe("Soup")
      try context.save()
      return soup.objectID
    }
    #expect(identifier.uriRepresentation().host == uuid)
    try kitchen.coordinator.remove(store)
    metadata[NSStoreUUIDKey] = "99999999-2222-3333-4444-555555555555"
    try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: kitchen.file)
    #expect(try read()[NSStoreUUIDKey] as? String == "99999999-2222-3333-4444-555555555555")
  }
}
