package import Foundation
import ManagedObjects

/// A reason why a model cannot be mirrored.
package struct ModelRuleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that the model breaks.
  package enum Rule: String, Sendable, CaseIterable {
    case unknownConfiguration, unusableName, unsupportedType, missingInverse, requiredRelationship
    case crossesConfigurations, clashingFields, encryptedInPublic
  }

  package let rule: Rule
  /// The name of the entity; nil if the error concerns the whole model.
  package let entity: String?
  /// The name of the property; nil if the error concerns the whole entity.
  package let property: String?
  /// The requirement, and what breaks it.
  package let message: String
  package let remedy: String

  /// The message and the remedy.
  package var description: String { "\(message) \(remedy)" }

  /// The error as Core Data throws it.
  fileprivate var cocoaError: NSError {
    var userInfo: [String: Any] = [
      "rule": rule.rawValue, NSLocalizedFailureReasonErrorKey: message,
      NSLocalizedRecoverySuggestionErrorKey: remedy,
    ]
    userInfo["entity"] = entity
    userInfo[NSValidationKeyErrorKey] = property
    return ManagedObjects.cocoaError(NSCoreDataError, description, userInfo)
  }
}

/// All reasons why a model cannot be mirrored.
package struct ModelRuleErrors: Error, Sendable, CustomStringConvertible {
  /// The errors, at least one, in the order of entities and properties.
  package let errors: [ModelRuleError]

  package init(_ errors: [ModelRuleError]) { self.errors = errors }

  /// The errors, one on each line.
  package var description: String { errors.map(\.description).joined(separator: "\n") }

  /// The error as Core Data throws it: 134060, with all errors under `NSDetailedErrorsKey`.
  package var cocoaError: NSError {
    ManagedObjects.cocoaError(
      NSCoreDataError, description, [NSDetailedErrorsKey: errors.map(\.cocoaError)])
  }
}
