import Foundation
import ManagedObjectModel
import Testing

@Suite struct EqualityTests {
  @Test func `Models with the same contents are equal in any order of entities`() {
    let (left, right) = (libraryModel(), libraryModel())
    #expect(left == right)
    #expect(left.hash == right.hash)
    right.entities.reverse()
    #expect(left == right)
    #expect(left.hash == right.hash)
  }

  static let changes: [@Sendable (NSManagedObjectModel) -> Void] = [
    { $0.versionIdentifiers = [] },
    { $0.localizationDictionary = [:] },
    { $0.setEntities([], forConfigurationName: "People") },
    { $0.fetchRequestTemplate(forName: "everyone")?.fetchLimit = 1 },
    { $0.setFetchRequestTemplate(nil, forName: "everyone") },
    { $0.entities.removeLast() },
    { $0.entitiesByName["Author"]?.name = "Writer" },
    { $0.entitiesByName["Author"]?.managedObjectClassName = "Writer" },
    { $0.entitiesByName["Author"]?.userInfo = ["a": 1] },
    { $0.entitiesByName["Author"]?.uniquenessConstraints = [] },
    { $0.entitiesByName["Author"]?.indexes = [] },
    { $0.entitiesByName["Author"]?.renamingIdentifier = "Writer" },
    { $0.entitiesByName["Item"]?.subentities = [] },
    { $0.entitiesByName["Author"]?.attributesByName["name"]?.defaultValue = "nobody" },
    { $0.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = true },
    { $0.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule },
    { $0.entitiesByName["Author"]?.indexes[0].elements[0].isAscending = false },
  ]

  @Test(arguments: changes.indices)
  func `A library model with one difference is not equal`(change: Int) {
    let changed = libraryModel()
    Self.changes[change](changed)
    #expect(changed != libraryModel())
  }

  typealias Change = @Sendable (NSManagedObjectModel) -> Void

  /// Single changes of a complete model, for the properties that the library does not have.
  static let everyChange: [Change] = {
    var changes = modelChanges + fetchChanges
    for change in attributeChanges {
      changes.append { model in
        model.entitiesByName["Thing"]?.attributesByName["marked"].map(change)
      }
    }
    for change in relationshipChanges {
      changes.append { model in
        model.entitiesByName["Thing"]?.relationshipsByName["parts"].map(change)
      }
    }
    for change in requestChanges {
      changes.append { model in model.fetchRequestTemplate(forName: "everything").map(change) }
    }
    return changes
  }()

  private static let modelChanges: [Change] = [
    { $0.entitiesByName["Thing"]?.isAbstract = false },
    { $0.entitiesByName["Thing"]?.versionHashModifier = "n" },
    { $0.entitiesByName["Thing"]?.coreSpotlightDisplayNameExpression = nil },
    { $0.entitiesByName["Thing"]?.storedCompoundIndexes = [] },
    {
      $0.entitiesByName["Thing"]?.uniquenessConstraints = [
        ["value1100"], ["value700", "value100"],
      ]
    },
    { $0.entitiesByName["Thing"]?.indexes[1].partialIndexPredicate = nil },
    { $0.entitiesByName["Thing"]?.indexes[0].elements[0].collationType = .binary },
    { $0.entitiesByName["Thing"]?.indexes[0].name = "elsewhere" },
    { $0.entitiesByName["Thing"]?.properties.removeLast() },
    { $0.setEntities([], forConfigurationName: "More") },
  ]

  private static let fetchChanges: [Change] = [
    { model in
      let derived =
        model.entitiesByName["Thing"]?.propertiesByName["derived"] as? NSDerivedAttributeDescription
      derived?.filteringPredicate = nil
    },
    { model in
      let composite =
        model.entitiesByName["Thing"]?.propertiesByName["composite"]
        as? NSCompositeAttributeDescription
      composite?.elements[0].isOptional = true
    },
    { model in
      let fetched =
        model.entitiesByName["Other"]?.propertiesByName["fetched"] as? NSFetchedPropertyDescription
      fetched?.fetchRequest?.fetchLimit = 9
    },
    { model in
      let fetched =
        model.entitiesByName["Other"]?.propertiesByName["fetched"] as? NSFetchedPropertyDescription
      fetched?.fetchRequest = nil
    },
  ]

  private static let attributeChanges: [@Sendable (NSAttributeDescription) -> Void] = [
    { $0.isTransient = true }, { $0.versionHashModifier = nil },
    { $0.renamingIdentifier = "former" },
    { $0.storedIsIndexed = false }, { $0.isIndexedBySpotlight = false },
    { $0.storedIsStoredInExternalRecord = false },
    { $0.userInfo = nil }, { $0.setValidation(predicates: [], warnings: []) },
    {
      $0.setValidation(
        predicates: $0.validationPredicates, warnings: $0.validationWarnings.reversed())
    },
    { $0.attributeType = .transformableAttributeType }, { $0.attributeValueClassName = "NSData" },
    { $0.valueTransformerName = nil }, { $0.allowsExternalBinaryDataStorage = false },
    { $0.preservesValueInHistoryOnDeletion = false }, { $0.allowsCloudEncryption = false },
  ]

  private static let relationshipChanges: [@Sendable (NSRelationshipDescription) -> Void] = [
    { $0.maxCount = 4 }, { $0.minCount = 0 }, { $0.isOrdered = false },
    { $0.inverseRelationship = nil },
    { $0.destinationEntity = nil }, { $0.deleteRule = .nullifyDeleteRule },
  ]

  private static let requestChanges:
    [@Sendable (NSFetchRequest<any NSFetchRequestResult>) -> Void] = [
      { $0.predicate = nil }, { $0.havingPredicate = nil }, { $0.sortDescriptors = nil },
      { $0.fetchLimit = 0 },
      { $0.fetchOffset = 0 }, { $0.fetchBatchSize = 0 },
      { $0.resultType = .managedObjectResultType },
      { $0.includesSubentities = true }, { $0.includesPropertyValues = true },
      { $0.includesPendingChanges = true },
      { $0.returnsObjectsAsFaults = true }, { $0.returnsDistinctResults = false },
      { $0.shouldRefreshRefetchedObjects = false }, { $0.relationshipKeyPathsForPrefetching = [] },
      { $0.propertiesToFetch = ["own"] }, { $0.propertiesToGroupBy = nil },
    ]

  @Test(arguments: everyChange.indices)
  func `A complete model with one difference is not equal`(change: Int) {
    let changed = EverythingModel.make()
    #expect(changed == EverythingModel.make())
    Self.everyChange[change](changed)
    #expect(changed != EverythingModel.make())
  }

  @Test func `A default value equals its bridged object`() {
    let left = attribute("count", .integer64AttributeType) { $0.defaultValue = Int64(3) }
    let right = attribute("count", .integer64AttributeType) { $0.defaultValue = NSNumber(value: 3) }
    #expect(left == right)
  }
}
