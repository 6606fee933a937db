import Foundation
import PredicateLanguage

/// Properties of every kind.
///
/// | key of every `NSPropertyDescription` | meaning |
/// |---|---|
/// | `NSPropertyName` | name |
/// | `NSIsOptional`, `NSIsTransient`, `NSIsReadOnly` | missing means false |
/// | `NSIsIndexed`, `NSIndexedBySpotlight` | missing means false |
/// | `NSRenamingIdentifier` | by default, the name |
/// | `NSVersionHashModifier`, `NSUserInfo` | missing if there is none |
/// | `NSValidationPredicates` | array of predicates |
/// | `NSValidationWarnings` | array of texts or error codes, one for each predicate |
/// | `ParhelionIsStoredInExternalRecord` | our own: Apple's key is not known |
/// | `NSEntity` | the entity, not read |
/// | `_P` | the same flags as bits, see `PropertyBits`; not read |
///
/// `_NSPropertyDescriptionProxy` represents an inherited property: it has `NSUnderlyingProperty`.
extension ModelArchiveReader {
  mutating func readProperties(of entry: Entry) throws(ModelArchiveError) {
    let inherited = entry.entity.superentity?.propertiesByName ?? [:]
    var own: [NSPropertyDescription] = []
    for (key, value) in try entry.object.entries("NSProperties").sorted(by: { $0.key < $1.key }) {
      guard case .object(let object) = value else {
        throw entry.object.error(
          .wrongKind, "A property is expected, not \(value.kind).", key: key)
      }
      if let repeated = inherited[key] {
        properties[object.index] = repeated
        continue
      }
      let property = try readProperty(object)
      guard property.name == key, properties[object.index] == nil else {
        throw object.error(
          .contradiction, "The property has another key than its name, or occurs twice.",
          key: "NSPropertyName"
        )
      }
      properties[object.index] = property
      own.append(property)
    }
    try count(inherited.count + own.count, in: entry.object)
    entry.entity.ownProperties = own
  }

  private mutating func count(_ more: Int, in object: ArchivedObject) throws(ModelArchiveError) {
    propertyCount += more
    guard propertyCount <= Limits.archivedProperties else {
      throw object.error(
        .limit, "The entities of the model have more than \(Limits.archivedProperties) properties.")
    }
  }

  private mutating func readProperty(_ object: ArchivedObject) throws(ModelArchiveError)
    -> NSPropertyDescription
  {
    if object.isKind(of: "NSRelationshipDescription") {
      let relationship = NSRelationshipDescription()
      try readCommon(of: relationship, object)
      relationships.append((object, relationship))
      return relationship
    }
    if object.isKind(of: "NSFetchedPropertyDescription") {
      let property = NSFetchedPropertyDescription()
      let isTransient = property.isTransient
      try readCommon(of: property, object)
      // Every archived fetched property is marked as transient and read-only, so the flag has no
      // meaning.
      property.isTransient = isTransient
      fetchedProperties.append((object, property))
      return property
    }
    if object.isKind(of: "NSAttributeDescription") { return try readAttribute(object, nesting: 0) }
    if object.isKind(of: "NSExpressionDescription") { return try readExpression(object) }
    throw object.error(
      .unknownClass,
      "\(object.className) is not a property that can be read here: an entity has attributes, relationships and fetched properties, and what it inherits must be in a superentity."
    )
  }

  func readCommon(of property: NSPropertyDescription, _ object: ArchivedObject)
    throws(ModelArchiveError)
  {
    property.name = try name("NSPropertyName", of: object)
    property.isOptional = try object.flag("NSIsOptional")
    property.isTransient = try object.flag("NSIsTransient")
    property.storedIsIndexed = try object.flag("NSIsIndexed")
    property.isIndexedBySpotlight = try object.flag("NSIndexedBySpotlight")
    property.storedIsStoredInExternalRecord = try object.flag("ParhelionIsStoredInExternalRecord")
    property.versionHashModifier = try object.string("NSVersionHashModifier")
    let identifier = try object.string("NSRenamingIdentifier")
    property.storedRenamingIdentifier = identifier == property.name ? nil : identifier
    property.userInfo = try userInfo(of: object)
    try readValidation(of: property, object)
  }

  private func readValidation(of property: NSPropertyDescription, _ object: ArchivedObject)
    throws(ModelArchiveError)
  {
    var predicates: [NSPredicate] = []
    for element in try object.elements("NSValidationPredicates") {
      guard case .object(let predicate) = element else {
        throw object.error(
          .wrongKind, "A predicate is expected.", key: "NSValidationPredicates")
      }
      predicates.append(try PredicateArchiveReader.read(predicate))
    }
    var warnings: [Any] = []
    for element in try object.elements("NSValidationWarnings") {
      warnings.append(try element.decoded() ?? NSNull())
    }
    guard predicates.count == warnings.count || warnings.isEmpty else {
      throw object.error(
        .contradiction,
        "There are \(predicates.count) validation predicates and \(warnings.count) warnings.",
        key: "NSValidationWarnings")
    }
    property.setValidation(predicates: predicates, warnings: warnings)
  }

  func readExpression(_ object: ArchivedObject) throws(ModelArchiveError) -> NSExpressionDescription
  {
    let description = NSExpressionDescription()
    try readCommon(of: description, object)
    description.expression = try ExpressionArchiveReader.read("NSExpression", of: object)
    description.expressionResultType = try attributeType("NSExpressionResultType", of: object)
    return description
  }
}
