import Foundation
import ManagedObjectModel
import PredicateLanguage

/// A model that uses every feature of models.
enum EverythingModel {
  static func make() -> NSManagedObjectModel {
    let thing = thingEntity()
    let special = specialEntity()
    let other = entity("Other", [attribute("$null", .stringAttributeType)])
    let parts = relate(thing, "parts", to: other, maxCount: 3) { relationship in
      relationship.minCount = 1
      relationship.isOrdered = true
      relationship.deleteRule = .denyDeleteRule
    }
    let whole = relate(other, "whole", to: thing, maxCount: 1) {
      $0.deleteRule = .cascadeDeleteRule
    }
    invert(parts, whole)
    relate(special, "alone", to: other, maxCount: 0) { $0.deleteRule = .noActionDeleteRule }
    thing.subentities = [special]
    thing.isAbstract = true
    addFetchedProperty(to: other, fetching: thing)
    addIndexes(to: thing)
    let model = NSManagedObjectModel()
    model.entities = [thing, special, other]
    model.setEntities([other, thing], forConfigurationName: "Some")
    model.setEntities([], forConfigurationName: "None")
    model.setFetchRequestTemplate(template(of: thing, and: special), forName: "everything")
    model.versionIdentifiers = ["2", "beta"]
    model.localizationDictionary = ["Entity/Thing": "Ding"]
    return model
  }

  static func thingEntity() -> NSEntityDescription {
    let values: [(NSAttributeType, Any)] = [
      (.integer16AttributeType, NSNumber(value: Int16(-7))),
      (.integer32AttributeType, NSNumber(value: Int32.max)),
      (.integer64AttributeType, NSNumber(value: Int64.min)),
      (.decimalAttributeType, NSDecimalNumber(string: "-12345678901234567890.123456789")),
      (.doubleAttributeType, NSNumber(value: 0.1)),
      (.floatAttributeType, NSNumber(value: Float(0.1))),
      (.stringAttributeType, "Grüße 👋"), (.booleanAttributeType, NSNumber(value: true)),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 12.5)),
      (.binaryDataAttributeType, Data([0, 255])),
      (.UUIDAttributeType, UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
      (.URIAttributeType, URL(string: "https://example.org/a?b=c#d") as Any),
      (
        .transformableAttributeType,
        ["a", NSNumber(value: 1), ["k": Date(timeIntervalSinceReferenceDate: 0)]] as [Any]
      ),
    ]
    var attributes = values.map { type, value in
      attribute("value\(type.rawValue)", type, optional: true) { $0.defaultValue = value }
    }
    attributes.append(attribute("nothing", .undefinedAttributeType) { $0.isTransient = true })
    attributes.append(markedAttribute())
    attributes.append(derivedAttribute())
    attributes.append(compositeAttribute())
    return entity("Thing", attributes) { entity in
      entity.managedObjectClassName = "Module.Thing"
      entity.userInfo = ["key": "value", "number": NSNumber(value: 3)]
      entity.versionHashModifier = "m"
      entity.renamingIdentifier = "OldThing"
      entity.coreSpotlightDisplayNameExpression = NSExpression(forKeyPath: "marked")
      entity.uniquenessConstraints = [["value700", "value100"], ["value1100"]]
    }
  }

  private static func specialEntity() -> NSEntityDescription {
    entity("Special", [attribute("own", .stringAttributeType)]) {
      $0.managedObjectClassName = "NSManagedObject"
    }
  }

  private static func markedAttribute() -> NSAttributeDescription {
    attribute("marked", .binaryDataAttributeType) { attribute in
      attribute.allowsExternalBinaryDataStorage = true
      attribute.preservesValueInHistoryOnDeletion = true
      attribute.allowsCloudEncryption = true
      attribute.isIndexedBySpotlight = true
      attribute.storedIsIndexed = true
      attribute.storedIsStoredInExternalRecord = true
      attribute.valueTransformerName = "Transformer"
      attribute.attributeValueClassName = "NSMutableData"
      attribute.versionHashModifier = ""
      attribute.renamingIdentifier = "old"
      attribute.userInfo = ["a": "b"]
      attribute.setValidation(
        predicates: predicates.compactMap { try? NSPredicate(parsing: $0) },
        warnings: predicates.indices.map {
          $0 % 2 == 0 ? "Warning \($0)" as Any : NSNumber(value: 1600 + $0)
        })
    }
  }

  /// Predicates with every operator and every kind of expression.
  static let predicates = [
    "length < 1", "length <= 1", "length > 1", "length >= 1", "SELF == nil", "SELF != 'a'",
    "SELF MATCHES[c] 'a.*'",
    "SELF LIKE[cd] 'a*'", "SELF BEGINSWITH 'a'", "SELF ENDSWITH[d] 'a'", "SELF IN {1, 2.5, 'x'}",
    "SELF CONTAINS 'a'",
    "SELF BETWEEN {1, 9}", "ANY parts.name == 'a'", "ALL parts.name == 'a'",
    "NONE parts.name == 'a'",
    "NOT (a == 1 AND (b == 2 OR c == $VARIABLE))", "TRUEPREDICATE", "FALSEPREDICATE OR a == 1",
    "a + b * c - d / e == 1", "uppercase(a) == 'A'", "parts.@count > 1", "now() > date",
    "$SOURCE.a.b == a",
    "SUBQUERY(parts, $x, $x.name == 'a').@count > 0", "TERNARY(a == 1, b, c) == 2",
    "CAST(a, 'NSDate') < now()",
    "a UNION b == c", "a INTERSECT b == c", "a MINUS b == c", "a[0] == 1",
    "FUNCTION(a, 'method:', 1) == 2", "a.b.c == YES",
  ]

  private static func derivedAttribute() -> NSAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = "derived"
    attribute.attributeType = .stringAttributeType
    attribute.derivationExpression = NSExpression(
      forFunction: "canonical:", arguments: [NSExpression(forKeyPath: "value700")])
    attribute.filteringPredicate = NSPredicate(format: "value100 > 0")
    return attribute
  }

  private static func compositeAttribute() -> NSAttributeDescription {
    let inner = NSCompositeAttributeDescription()
    inner.name = "inner"
    inner.elements = [attribute("leaf", .stringAttributeType, optional: true)]
    let composite = NSCompositeAttributeDescription()
    composite.name = "composite"
    composite.elements = [
      attribute("latitude", .doubleAttributeType) { $0.defaultValue = NSNumber(value: 1.5) }, inner,
    ]
    return composite
  }

  private static func addFetchedProperty(
    to entity: NSEntityDescription, fetching target: NSEntityDescription
  ) {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = target
    request.predicate = NSPredicate(format: "value700 == $FETCH_SOURCE.name")
    let property = NSFetchedPropertyDescription()
    property.name = "fetched"
    property.isOptional = true
    property.fetchRequest = request
    entity.properties.append(property)
  }

  private static func addIndexes(to entity: NSEntityDescription) {
    let expression = NSExpressionDescription()
    expression.name = "folded"
    expression.expression = NSExpression(
      forFunction: "lowercase:", arguments: [NSExpression(forKeyPath: "value700")])
    expression.expressionResultType = .stringAttributeType
    let properties = entity.propertiesByName
    let elements = ["value500", "value600"].compactMap { properties[$0] }
      .map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) }
    let folded = NSFetchIndexElementDescription(property: expression, collationType: .binary)
    folded.isAscending = false
    let partial = NSFetchIndexDescription(name: "folded", elements: [folded])
    partial.partialIndexPredicate = NSPredicate(format: "value100 != nil")
    entity.indexes = [NSFetchIndexDescription(name: "place", elements: elements), partial]
    entity.storedCompoundIndexes = [["value100", "value200"]]
  }

  private static func template(
    of thing: NSEntityDescription, and special: NSEntityDescription
  ) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = special
    request.predicate = NSPredicate(format: "own BEGINSWITH $PREFIX")
    request.havingPredicate = NSPredicate(format: "total > 1")
    request.sortDescriptors = [
      NSSortDescriptor(key: "own", ascending: false),
      NSSortDescriptor(
        key: "value700", ascending: true, selector: Selector("localizedStandardCompare:")),
    ]
    request.fetchLimit = 1
    request.fetchOffset = 2
    request.fetchBatchSize = 3
    request.resultType = .dictionaryResultType
    request.includesSubentities = false
    request.includesPropertyValues = false
    request.includesPendingChanges = false
    request.returnsObjectsAsFaults = false
    request.returnsDistinctResults = true
    request.shouldRefreshRefetchedObjects = true
    request.relationshipKeyPathsForPrefetching = ["parts"]
    let total = NSExpressionDescription()
    total.name = "total"
    total.expression = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forKeyPath: "value100")])
    total.expressionResultType = .integer64AttributeType
    request.propertiesToFetch = ["own", special.properties[0], total]
    request.propertiesToGroupBy = [special.ownProperties[0]]
    return request
  }
}
