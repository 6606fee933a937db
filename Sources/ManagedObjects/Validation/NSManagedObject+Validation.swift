import Foundation
import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Validates a value for a property, in the type that code for Apple's platforms uses.
  public final func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
    var any: Any? = value
    try validateValue(&any, forKey: key)
    value = any.map { $0 as AnyObject }
  }

  /// Validates every property against the model, and with the class's own methods if it may have
  /// any.
  final func validateProperties() throws {
    let blueprint = layout.blueprint
    let failures =
      blueprint.hasHooks(type(of: self)) ? failuresByKey() : failuresByPlan(blueprint.validation)
    try throwCombined(failures)
  }

  private func failuresByPlan(_ plan: ValidationPlan) -> [any Error] {
    var failures: [any Error] = []
    for ordinal in plan.checked {
      let slot = layout.slot(ordinal)
      // Most failures are missing required values, which the row's null bits show.
      if slot.kind != .none && plan.takesAnyValue[ordinal] && !slot.isNull(in: row) { continue }
      if isUnreadable(ordinal) { continue }
      collect(&failures) {
        try PropertyValidation(object: self, ordinal: ordinal).check(currentValue(ordinal))
      }
    }
    return failures
  }

  private func failuresByKey() -> [any Error] {
    var failures: [any Error] = []
    for (ordinal, property) in layout.properties.enumerated()
    where !(property is NSFetchedPropertyDescription) {
      if let members = unloadedMembers(ordinal), !members { continue }
      if isUnreadable(ordinal) { continue }
      collect(&failures) { try validate(property, ordinal) }
    }
    return failures
  }

  /// Whether a to-many relationship must be validated, because it was changed or the object is new;
  /// nil for other properties.
  private func unloadedMembers(_ ordinal: Int) -> Bool? {
    guard let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
      relationship.isToMany
    else {
      return nil
    }
    return flags.contains(.unsaved) || state?.members[ordinal]?.isChanged == true
  }

  /// Validates one value, and stores it if the validation replaced it.
  private func validate(_ property: NSPropertyDescription, _ ordinal: Int) throws {
    let before = currentValue(ordinal)
    var value = before
    try validateValue(&value, forKey: property.name)
    guard property is NSAttributeDescription, !sameValue(before, value) else { return }
    setValue(value, forKey: property.name)
  }

  private func sameValue(_ one: Any?, _ other: Any?) -> Bool {
    switch (
      one as? NSObject ?? one.map { $0 as AnyObject } as? NSObject,
      other as? NSObject ?? other.map { $0 as AnyObject } as? NSObject
    )
    {
    case (nil, nil): (one == nil) == (other == nil)
    case (let one?, let other?): one.isEqual(other)
    default: false
    }
  }

  /// Checks that no relationship with the rule Deny has a destination.
  final func validateDeletion() throws {
    var failures: [any Error] = []
    for ordinal in layout.blueprint.validation.denying {
      guard let relationship = layout.properties[ordinal] as? NSRelationshipDescription else {
        continue
      }
      if !relationship.isToMany { prepareAccess() }
      let related =
        relationship.isToMany ? members(ordinal).objects : destination(ordinal).map { [$0] } ?? []
      let remaining = related.filter { !$0.flags.contains(.deleted) }
      guard !remaining.isEmpty else { continue }
      failures.append(
        PropertyValidation(object: self, ordinal: ordinal).failure(
          NSValidationRelationshipDeniedDeleteError,
          "\(place(relationship)) still has \(remaining.count) objects, and its delete rule denies the deletion. Delete or move them first."
        ))
    }
    try throwCombined(failures)
  }

  private func collect(_ failures: inout [any Error], _ check: () throws -> Void) {
    do {
      try check()
    } catch {
      failures += details(of: error)
    }
  }

  private func throwCombined(_ failures: [any Error]) throws {
    if let error = combined(failures) { throw error }
  }
}

/// The errors that an error combines, or the error itself.
func details(of error: any Error) -> [any Error] {
  (error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
}

/// Returns nil for no error, a single error unchanged, or an error that combines several.
func combined(_ failures: [any Error]) -> (any Error)? {
  guard failures.count > 1 else { return failures.first }
  let errors = failures.map { $0 as NSError }
  let messages = errors.map(\.localizedDescription).joined(separator: "\n")
  return cocoaError(
    NSValidationMultipleErrorsError, "\(errors.count) conditions are not met:\n\(messages)",
    [NSDetailedErrorsKey: errors])
}
