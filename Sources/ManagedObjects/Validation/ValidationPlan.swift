import Foundation
import ManagedObjectModel
import ObjectRows

/// The validation rules for an entity's objects, computed once from the model.
// Sendable: immutable after its initializer.
final class ValidationPlan: @unchecked Sendable {
  struct Rule {
    let predicate: NSPredicate
    /// The error code for a value that violates the rule.
    let code: Int
  }

  /// The rules of each property, by ordinal.
  let rules: [[Rule]]
  /// The properties that have rules.
  ///
  /// The others accept any value of the right type.
  let checked: [Int]
  /// The relationships that prevent an object's deletion while they are not empty.
  let denying: [Int]

  /// The slots that must not be null, if there are no other rules; nil otherwise.
  let requiredSlots: [RowSlot]?

  /// Whether a property accepts any value, so that only a missing one is invalid.
  let takesAnyValue: [Bool]

  init(_ layout: RowLayout) {
    rules = layout.properties.map(Self.rules)
    takesAnyValue = layout.properties.indices.map { [rules] in
      rules[$0].isEmpty && !(layout.properties[$0] is NSCompositeAttributeDescription)
    }
    denying = Self.denying(layout)
    checked = layout.properties.indices.filter { [rules] ordinal in
      let property = layout.properties[ordinal]
      if property is NSFetchedPropertyDescription { return false }
      guard let relationship = property as? NSRelationshipDescription, relationship.isToMany else {
        return !property.isOptional || !rules[ordinal].isEmpty
          || property is NSCompositeAttributeDescription
      }
      return relationship.minCount > 0 || relationship.maxCount > 0 || !rules[ordinal].isEmpty
    }
    requiredSlots =
      checked.allSatisfy { [takesAnyValue] in takesAnyValue[$0] && layout.slots[$0].kind != .none }
      ? checked.map { layout.slots[$0] } : nil
  }

  private static func denying(_ layout: RowLayout) -> [Int] {
    layout.properties.indices.filter {
      (layout.properties[$0] as? NSRelationshipDescription)?.deleteRule == .denyDeleteRule
    }
  }

  static func rules(of property: NSPropertyDescription) -> [Rule] {
    zip(
      property.validationPredicates,
      property.validationWarnings.map(Optional.some) + nothing(for: property)
    ).map {
      predicate, warning in
      let code = (warning as? NSNumber)?.intValue ?? ValidationRule(predicate)?.errorCode
      return Rule(predicate: predicate, code: code ?? NSManagedObjectValidationError)
    }
  }

  /// Nils for the last predicates of a property that has fewer warnings than predicates.
  private static func nothing(for property: NSPropertyDescription) -> [Any?] {
    Array(
      repeating: nil,
      count: max(0, property.validationPredicates.count - property.validationWarnings.count))
  }
}
