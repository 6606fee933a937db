import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Validates one property of one object.
struct PropertyValidation {
  let object: NSManagedObject
  let ordinal: Int

  private var property: NSPropertyDescription { object.layout.properties[ordinal] }
  private var place: String { object.place(property) }

  /// Throws an error if a value violates the model's rules.
  func check(_ value: Any?) throws {
    let value: Any? = value.map(isNull) == true ? nil : value
    if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
      try checkCount(of: value, relationship)
    } else if value == nil {
      return try checkMissing()
    }
    try checkType(of: value)
    try checkRules(value)
    if let composite = property as? NSCompositeAttributeDescription,
      let elements = value as? [String: Any]
    {
      try check(elements, of: composite, at: property.name)
    }
  }

  private func checkMissing() throws {
    guard !property.isOptional else { return }
    throw failure(
      NSValidationMissingMandatoryPropertyError,
      "\(place) is required and has no value. Set it before you save.")
  }

  /// Checks the number of members of a to-many relationship.
  ///
  /// As in Core Data, a required relationship without a minimum count may be empty.
  private func checkCount(of value: Any?, _ relationship: NSRelationshipDescription) throws {
    let count = count(of: value)
    if count == 0 && relationship.isOptional { return }
    if count < relationship.minCount {
      throw failure(
        NSValidationRelationshipLacksMinimumCountError,
        "\(place) has \(count) objects, and must have at least \(relationship.minCount).",
        value: value)
    }
    if relationship.maxCount > 0 && count > relationship.maxCount {
      throw failure(
        NSValidationRelationshipExceedsMaximumCountError,
        "\(place) has \(count) objects, and may have at most \(relationship.maxCount).",
        value: value)
    }
  }

  private func count(of value: Any?) -> Int {
    switch value {
    case let set as NSSet: set.count
    case let set as NSOrderedSet: set.count
    case let array as [Any]: array.count
    default: 0
    }
  }

  private func checkType(of value: Any?) throws {
    guard let value, let attribute = property as? NSAttributeDescription,
      !AttributeValue.fits(AttributeValue.normalized(value), attribute.attributeType)
    else { return }
    throw failure(
      NSManagedObjectValidationError,
      "\(place) takes a \(attribute.attributeValueClassName ?? "value") and was given a \(type(of: value)).",
      value: value)
  }

  private func checkRules(_ value: Any?) throws {
    let rules = object.layout.blueprint.validation.rules[ordinal]
    for rule in rules where !rule.predicate.evaluate(with: value) {
      throw failure(
        rule.code,
        "\(place) has the value \(value.map { "\($0)" } ?? "nil"), which does not meet the condition \(rule.predicate.formatText).",
        value: value, [NSValidationPredicateErrorKey: rule.predicate])
    }
  }

  /// Checks the elements of a composite value, recursively.
  private func check(
    _ values: [String: Any], of composite: NSCompositeAttributeDescription, at path: String
  ) throws {
    for element in composite.elements {
      let key = "\(path).\(element.name)"
      let place = "\(object.entityName).\(key)"
      guard let value = values[element.name], !(value is NSNull) else {
        guard !element.isOptional else { continue }
        throw failure(
          NSValidationMissingMandatoryPropertyError,
          "\(place) is required and has no value. Set it before you save.",
          [NSValidationKeyErrorKey: key])
      }
      for rule in ValidationPlan.rules(of: element) where !rule.predicate.evaluate(with: value) {
        throw failure(
          rule.code,
          "\(place) has the value \(value), which does not meet the condition \(rule.predicate.formatText).",
          value: value,
          [NSValidationKeyErrorKey: key, NSValidationPredicateErrorKey: rule.predicate])
      }
      if let inner = element as? NSCompositeAttributeDescription,
        let values = value as? [String: Any]
      {
        try check(values, of: inner, at: key)
      }
    }
  }

  func failure(_ code: Int, _ message: String, value: Any? = nil, _ further: [String: Any] = [:])
    -> NSError
  {
    var userInfo = further
    userInfo[NSValidationObjectErrorKey] = object
    userInfo[NSValidationKeyErrorKey] = further[NSValidationKeyErrorKey] ?? property.name
    userInfo[NSValidationValueErrorKey] = value
    return cocoaError(code, message, userInfo)
  }
}
