import Foundation
import ManagedObjectModel
import PredicateLanguage

/// A property in words, for `ModelText`.
enum PropertyText {
  /// A property's columns in a table: its name, its type, and its other settings.
  static func row(of property: NSPropertyDescription) -> [String] {
    [property.name, property.kindDescription, facts(of: property).joined(separator: ", ")]
  }

  private static func facts(of property: NSPropertyDescription) -> [String] {
    var facts: [String] = property.isOptional ? [] : ["required"]
    if property.isTransient, !(property is NSFetchedPropertyDescription) {
      facts.append("transient")
    }
    switch property {
    case let attribute as NSAttributeDescription: facts += Self.facts(of: attribute)
    case let relationship as NSRelationshipDescription: facts += Self.facts(of: relationship)
    case let fetched as NSFetchedPropertyDescription: facts += Self.facts(of: fetched)
    default: break
    }
    if let old = property.renamingIdentifier, old != property.name {
      facts.append("formerly \(old)")
    }
    if let modifier = property.versionHashModifier {
      facts.append("version hash modifier \"\(modifier)\"")
    }
    return facts
  }

  private static func facts(of attribute: NSAttributeDescription) -> [String] {
    var facts: [String] = []
    if let value = defaultText(of: attribute) { facts.append("default \(value)") }
    if let expression = (attribute as? NSDerivedAttributeDescription)?.derivationExpression {
      facts.append("= \(expression.description)")
    }
    if let composite = attribute as? NSCompositeAttributeDescription {
      facts.append(
        "of \(composite.elements.map { "\($0.name) \($0.kindDescription)" }.joined(separator: ", "))"
      )
    }
    facts += attribute.validationPredicates.map(text(of:))
    if let transformer = attribute.valueTransformerName {
      facts.append("transformer \(transformer)")
    }
    let flags: [(Bool, String)] = [
      (attribute.storedIsIndexed, "indexed"),
      (attribute.allowsExternalBinaryDataStorage, "external storage"),
      (attribute.preservesValueInHistoryOnDeletion, "kept in history"),
      (attribute.allowsCloudEncryption, "encrypted in the cloud"),
      (attribute.isIndexedBySpotlight, "in Spotlight"),
    ]
    return facts + flags.filter(\.0).map(\.1)
  }

  /// The default value: YES or NO for a Boolean, as in Xcode's model editor.
  private static func defaultText(of attribute: NSAttributeDescription) -> String? {
    guard attribute.attributeType == .booleanAttributeType,
      let value = attribute.defaultValue as? Bool
    else {
      return ModelValue.text(attribute.defaultValue)
    }
    return value ? "YES" : "NO"
  }

  /// A validation predicate, with readable dates in place of numbers of seconds.
  private static func text(of predicate: NSPredicate) -> String {
    guard let comparison = predicate as? PredicateLanguage.NSComparisonPredicate,
      comparison.rightExpression.expressionType == .constantValue,
      let date = comparison.rightExpression.constantValue as? Date, let text = ModelValue.text(date)
    else { return predicate.formatText }
    switch comparison.predicateOperatorType {
    case .greaterThanOrEqualTo: return "from \(text)"
    case .lessThanOrEqualTo: return "to \(text)"
    default: return predicate.formatText
    }
  }

  private static func facts(of relationship: NSRelationshipDescription) -> [String] {
    var facts = [relationship.inverseRelationship.map { "inverse \($0.name)" } ?? "no inverse"]
    if relationship.isOrdered { facts.append("ordered") }
    if relationship.deleteRule != .nullifyDeleteRule {
      facts.append("on delete \(relationship.deleteRule.displayName.lowercased())")
    }
    if relationship.minCount > 0 { facts.append("at least \(relationship.minCount)") }
    if relationship.maxCount > 1 { facts.append("at most \(relationship.maxCount)") }
    return facts
  }

  private static func facts(of property: NSFetchedPropertyDescription) -> [String] {
    guard let request = property.fetchRequest else { return [] }
    return [
      "\(request.entityName ?? "?")" + (request.predicate.map { " where \($0.formatText)" } ?? "")
    ]
  }
}
