/// An issue that the validation found in a model.
package struct ModelIssue: Equatable, Sendable, CustomStringConvertible {
  /// The severity of an issue.
  package enum Severity: String, Sendable {
    /// The model cannot be used.
    case error
    /// The model can be used, but may behave unexpectedly.
    case warning
  }

  /// The rule that the model breaks.
  package enum Code: String, Sendable, CaseIterable {
    case emptyName, duplicateName, reservedName, unusableName
    case parentCycle, entityOutsideModel, propertySharedByEntities
    case undefinedType, unknownType, defaultValueMismatch, unsuitableOption
    case derivedWithoutExpression, derivedTransient, derivedFromUnknownProperty
    case compositeWithoutElements, compositeTooDeep, compositeElementUnsuitable,
      compositeElementRequired
    case missingDestination, missingInverse, inverseMismatch, countsOutOfOrder, orderedToOne,
      noActionRule
    case fetchWithoutRequest, fetchOfUnknownEntity
    case constraintEmpty, constraintUnknownAttribute, constraintOnRelationship,
      constraintOnTransient
    case indexEmpty, indexUnknownProperty, indexUnsuitableProperty, indexMixedTypes
  }

  package let severity: Severity
  package let code: Code
  /// The name of the entity, or nil for an issue of the whole model.
  package let entity: String?
  /// The name of the property, constraint or index, or nil for an issue of the entity.
  package let property: String?
  /// The issue in words.
  package let message: String
  /// The correction.
  package let remedy: String

  /// The place, the message and the remedy in one line.
  package var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return "\(severity.rawValue): \(place.isEmpty ? "" : "\(place): ")\(message) \(remedy)"
  }
}
