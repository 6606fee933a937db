import Foundation
import PredicateLanguage
import PropertyLists

extension ModelArchiver {
  /// The class and the keys of a property in an entity, which may have inherited it.
  mutating func parts(
    of property: NSPropertyDescription, in entity: NSEntityDescription?, at path: ArchivePath
  ) throws(ModelArchiveError) -> (className: String, fields: [String: PropertyList]) {
    var fields = try commonFields(of: property, at: path)
    if let entity { fields["NSEntity"] = try reference(to: entity, at: path) }
    let className: String
    switch property {
    case let relationship as NSRelationshipDescription:
      className = "NSRelationshipDescription"
      try addFields(of: relationship, to: &fields, at: path)
    case let fetched as NSFetchedPropertyDescription:
      className = "NSFetchedPropertyDescription"
      try addFields(of: fetched, to: &fields, at: path)
    case let attribute as NSAttributeDescription:
      className = try addFields(of: attribute, to: &fields, at: path)
    case let expression as NSExpressionDescription:
      className = "NSExpressionDescription"
      fields["NSExpression"] = try ExpressionArchiver.add(
        expression.expression, to: &builder, at: path)
      fields["NSExpressionResultType"] = .integer(Int128(expression.expressionResultType.rawValue))
    default:
      throw ModelArchiveError(
        .notArchivable, "A property of type \(type(of: property)) has no archived form.", at: path)
    }
    return (className, fields)
  }

  /// Adds an expression outside of an entity's properties.
  mutating func add(_ expression: NSExpressionDescription, at path: ArchivePath)
    throws(ModelArchiveError)
    -> PropertyList
  {
    let (className, fields) = try parts(of: expression, in: nil, at: path)
    return builder.add(className, fields)
  }

  private mutating func commonFields(
    of property: NSPropertyDescription, at path: ArchivePath
  ) throws(ModelArchiveError) -> [String: PropertyList] {
    let bits = PropertyBits(of: property)
    var fields: [String: PropertyList] = [
      "NSPropertyName": builder.string(property.name),
      "NSRenamingIdentifier": builder.string(property.renamingIdentifier),
      "_P": .integer(Int128(bits.rawValue)),
    ]
    let flags: [(key: String, isSet: Bool)] = [
      ("NSIsOptional", bits.contains(.optional)), ("NSIsReadOnly", bits.contains(.readOnly)),
      ("NSIsTransient", bits.contains(.transient)), ("NSIsIndexed", property.storedIsIndexed),
      ("NSIndexedBySpotlight", bits.contains(.spotlight)),
      ("ParhelionIsStoredInExternalRecord", property.storedIsStoredInExternalRecord),
    ]
    for (key, isSet) in flags where isSet { fields[key] = .boolean(true) }
    if let modifier = property.versionHashModifier {
      fields["NSVersionHashModifier"] = builder.string(modifier)
    }
    if !bits.contains(.noUserInfo) {
      fields["NSUserInfo"] = try addUserInfo(property.userInfo, at: path)
    }
    if !bits.contains(.noValidation) { try addValidation(of: property, to: &fields, at: path) }
    return fields
  }

  private mutating func addValidation(
    of property: NSPropertyDescription, to fields: inout [String: PropertyList],
    at path: ArchivePath
  ) throws(ModelArchiveError) {
    var predicates: [PropertyList] = []
    for predicate in property.validationPredicates {
      predicates.append(try PredicateArchiver.add(predicate, to: &builder, at: path))
    }
    var warnings: [PropertyList] = []
    for warning in property.validationWarnings {
      warnings.append(try ValueArchiver.add(warning, to: &builder, at: path))
    }
    fields["NSValidationPredicates"] = builder.array(predicates)
    fields["NSValidationWarnings"] = builder.array(warnings)
  }

  private mutating func addFields(
    of attribute: NSAttributeDescription, to fields: inout [String: PropertyList],
    at path: ArchivePath
  ) throws(ModelArchiveError) -> String {
    typealias Bits = ModelArchiveReader.AttributeBits
    var bits = 0
    if attribute.allowsExternalBinaryDataStorage { bits |= Bits.external }
    if attribute.preservesValueInHistoryOnDeletion { bits |= Bits.history }
    fields["NSFlagsKey"] = .integer(Int128(bits))
    fields["NSAttributeType"] = .integer(Int128(attribute.attributeType.rawValue))
    fields["NSAttributeValueClassName"] = builder.string(attribute.attributeValueClassName)
    fields["NSValueTransformerName"] = builder.string(attribute.valueTransformerName)
    fields["NSDefaultValue"] = try ValueArchiver.add(
      attribute.defaultValue, to: &builder, at: ArchivePath("defaultValue", in: path))
    if attribute.allowsCloudEncryption { fields["ParhelionAllowsCloudEncryption"] = .boolean(true) }
    switch attribute {
    case let derived as NSDerivedAttributeDescription:
      fields["NSDerivationExpression"] = try ExpressionArchiver.add(
        derived.derivationExpression, to: &builder, at: path)
      fields["NSFilteringPredicate"] = try PredicateArchiver.add(
        derived.filteringPredicate, to: &builder, at: path)
      return "NSDerivedAttributeDescription"
    case let composite as NSCompositeAttributeDescription:
      fields[ModelArchiveReader.elementsKey] = try addElements(of: composite, at: path)
      return "NSCompositeAttributeDescription"
    default: return "NSAttributeDescription"
    }
  }

  private mutating func addElements(
    of composite: NSCompositeAttributeDescription, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var references: [PropertyList] = []
    for element in composite.elements {
      let (className, fields) = try parts(
        of: element, in: nil, at: ArchivePath(element.name, in: path))
      references.append(builder.add(className, fields))
    }
    return builder.array(references)
  }

  private mutating func addFields(
    of relationship: NSRelationshipDescription, to fields: inout [String: PropertyList],
    at path: ArchivePath
  ) throws(ModelArchiveError) {
    fields["NSDestinationEntity"] = try reference(to: relationship.destinationEntity, at: path)
    fields["_NSDestinationEntityName"] = builder.string(relationship.destinationEntity?.name)
    fields["NSInverseRelationship"] = try reference(to: relationship.inverseRelationship, at: path)
    fields["_NSInverseRelationshipName"] = builder.string(relationship.inverseRelationship?.name)
    fields["NSMinCount"] = KeyedArchiveBuilder.count(relationship.minCount, from: -1)
    fields["NSMaxCount"] = KeyedArchiveBuilder.count(relationship.maxCount, from: -1)
    fields["NSDeleteRule"] = .integer(Int128(relationship.deleteRule.rawValue))
    if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
  }

  private mutating func addFields(
    of fetched: NSFetchedPropertyDescription, to fields: inout [String: PropertyList],
    at path: ArchivePath
  ) throws(ModelArchiveError) {
    guard let request = fetched.fetchRequest else { return }
    fields["NSFetchRequest"] = try add(request, at: path)
    fields["_NSFetchRequestEntityName"] = builder.string(request.entityName)
  }
}
