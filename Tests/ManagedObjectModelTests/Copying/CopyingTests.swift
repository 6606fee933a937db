import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct CopyingTests {
  @Test func `A copy of a model is equal and shares nothing`() throws {
    let library = libraryModel()
    let copy = try #require(library.copy() as? NSManagedObjectModel)
    #expect(copy == library)
    for entity in copy.entities {
      let original = try #require(library.entitiesByName[entity.name!])
      #expect(entity !== original)
      #expect(entity.managedObjectModel === copy)
      for property in entity.properties {
        #expect(property !== original.propertiesByName[property.name])
      }
    }
  }

  @Test func `A copy of a complete model equals it`() throws {
    let model = EverythingModel.make()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    #expect(copy == model)
    #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    let (thing, original) = (
      try #require(copy.entitiesByName["Thing"]), try #require(model.entitiesByName["Thing"])
    )
    #expect(thing.versionHashModifier == "m" && thing.versionHash == original.versionHash)
    #expect(thing.coreSpotlightDisplayNameExpression == NSExpression(forKeyPath: "marked"))
    #expect(
      thing.storedRenamingIdentifier == "OldThing" && thing.managedObjectClassName == "Module.Thing"
    )
    #expect(thing.userInfo?["key"] as? String == "value")
    #expect(thing.compoundIndexNames == [["value100", "value200"]])
    #expect(
      copy.localizationDictionary == ["Entity/Thing": "Ding"]
        && copy.versionIdentifiers == ["2", "beta"])
    #expect(copy.entities(forConfigurationName: "None") == [])
    let template = try #require(copy.fetchRequestTemplate(forName: "everything"))
    let special = try #require(copy.entitiesByName["Special"])
    #expect(template.entity === special)
    #expect(
      template.propertiesToGroupBy?[0] as? NSPropertyDescription === special.propertiesByName["own"]
    )
    let fetched =
      copy.entitiesByName["Other"]?.propertiesByName["fetched"] as? NSFetchedPropertyDescription
    #expect(fetched?.fetchRequest?.entity === thing)
  }

  @Test func `References inside a copy stay inside it`() throws {
    let library = libraryModel()
    let copy = try #require(library.copy() as? NSManagedObjectModel)
    let book = try #require(copy.entitiesByName["Book"])
    let author = try #require(copy.entitiesByName["Author"])
    #expect(book.superentity === copy.entitiesByName["Item"])
    #expect(copy.entitiesByName["Item"]?.subentities == [book])
    #expect(book.relationshipsByName["author"]?.destinationEntity === author)
    #expect(
      book.relationshipsByName["author"]?.inverseRelationship
        === author.relationshipsByName["books"])
    #expect(author.indexes[0].entity === author)
    #expect(author.indexes[0].elements[0].property === author.attributesByName["name"])
    #expect(author.indexes[0].elements[0].indexDescription === author.indexes[0])
    #expect(copy.entities(forConfigurationName: "People")?.first === author)
    #expect(copy.fetchRequestTemplate(forName: "everyone")?.entity === author)
  }

  @Test func `A copy of a model in use can be edited, and the original does not change`() throws {
    let library = libraryModel()
    library.freeze()
    let copy = try #require(library.copy() as? NSManagedObjectModel)
    #expect(!copy.isFrozen)
    copy.entitiesByName["Author"]?.name = "Writer"
    copy.entitiesByName["Book"]?.properties.append(attribute("isbn", .stringAttributeType))
    copy.fetchRequestTemplate(forName: "everyone")?.fetchLimit = 3
    #expect(library.entitiesByName["Author"] != nil)
    #expect(library.entitiesByName["Book"]?.attributesByName["isbn"] == nil)
    #expect(library.fetchRequestTemplate(forName: "everyone")?.fetchLimit == 0)
  }

  @Test func `A copy of an entity is independent`() throws {
    let library = libraryModel()
    let item = try #require(library.entitiesByName["Item"])
    let copy = try #require(item.copy() as? NSEntityDescription)
    #expect(copy.model == nil)
    #expect(copy.subentities.map(\.name) == ["Book"])
    #expect(copy.subentities[0] !== library.entitiesByName["Book"])
    #expect(copy.subentities[0].superentity === copy)
    #expect(
      copy.subentities[0].relationshipsByName["author"]?.destinationEntity
        === library.entitiesByName["Author"])
    #expect(library.entitiesByName["Book"]?.superentity === item)
  }

  @Test(arguments: [
    everyAttribute(), everyDerived(), everyComposite(), everyRelationship(), everyFetched(),
    everyExpression(),
  ])
  func `A copy of a property equals the original`(
    property: NSPropertyDescription
  ) throws {
    let copy = try #require(property.copy() as? NSPropertyDescription)
    #expect(copy !== property)
    #expect(type(of: copy) == type(of: property))
    #expect(copy == property)
    #expect(copy.versionHash == property.versionHash)
  }

  @Test func `A copy of a fetch request equals the original`() throws {
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    request.predicate = NSPredicate(value: true)
    request.sortDescriptors = []
    request.fetchLimit = 1
    request.fetchOffset = 2
    request.fetchBatchSize = 3
    request.resultType = .dictionaryResultType
    request.includesSubentities = false
    request.propertiesToFetch = ["name"]
    let copy = try #require(request.copy() as? NSFetchRequest<NSDictionary>)
    request.fetchLimit = 9
    #expect(copy.entityName == "Author")
    #expect(copy.predicate === request.predicate)
    #expect(copy.sortDescriptors == [])
    #expect((copy.fetchLimit, copy.fetchOffset, copy.fetchBatchSize) == (1, 2, 3))
    #expect(copy.resultType == .dictionaryResultType)
    #expect(!copy.includesSubentities)
    #expect(copy.propertiesToFetch as? [String] == ["name"])
  }

  private static func everyAttribute() -> NSPropertyDescription {
    attribute("a", .binaryDataAttributeType, optional: true) {
      $0.isTransient = true
      $0.userInfo = ["key": 1]
      $0.isIndexedBySpotlight = true
      $0.versionHashModifier = "m"
      $0.renamingIdentifier = "b"
      $0.setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: ["w"])
      $0.attributeValueClassName = "Special"
      $0.defaultValue = Data([1])
      $0.valueTransformerName = "T"
      $0.allowsExternalBinaryDataStorage = true
      $0.preservesValueInHistoryOnDeletion = true
      $0.allowsCloudEncryption = true
    }
  }

  private static func everyDerived() -> NSPropertyDescription {
    let derived = NSDerivedAttributeDescription()
    derived.name = "d"
    derived.attributeType = .stringAttributeType
    derived.derivationExpression = NSExpression(forKeyPath: "name")
    derived.filteringPredicate = NSPredicate(value: true)
    return derived
  }

  private static func everyComposite() -> NSPropertyDescription {
    let composite = NSCompositeAttributeDescription()
    composite.name = "c"
    composite.elements = [
      attribute("x", .doubleAttributeType), attribute("y", .doubleAttributeType),
    ]
    return composite
  }

  private static let destination = entity("Destination")

  private static func everyRelationship() -> NSPropertyDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = "r"
    relationship.destinationEntity = destination
    relationship.minCount = 1
    relationship.maxCount = 4
    relationship.deleteRule = .denyDeleteRule
    relationship.isOrdered = true
    return relationship
  }

  private static func everyFetched() -> NSPropertyDescription {
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "f"
    fetched.fetchRequest = NSFetchRequest(entityName: "Author")
    fetched.fetchRequest?.fetchLimit = 2
    return fetched
  }

  private static func everyExpression() -> NSPropertyDescription {
    let expression = NSExpressionDescription()
    expression.name = "e"
    expression.expression = NSExpression(forKeyPath: "name")
    expression.expressionResultType = .stringAttributeType
    return expression
  }
}
