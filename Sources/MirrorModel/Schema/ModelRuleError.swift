package import Foundation
import ManagedObjects

/// One thing about a model that cannot be mirrored.
package struct ModelRuleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that the model breaks.
  package enum Rule: String, Sendable, CaseIterable {
    case unknownConfiguration, unusableName, unsupportedType, missingInverse, requiredRelationship
    case crossesConfigurations, clashingFields, encryptedInPublic
  }

  /// The rule.
  package let rule: Rule
  /// The name of the entity; nil where the problem is the model's.
  package let entity: String?
  /// The name of the property; nil where the problem is the entity's.
  package let property: String?
  /// What is required, and what does not have it.
  package let message: String
  /// What to do.
  package let remedy: String

  /// The problem and the remedy.
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

/// All that cannot be mirrored about a model.
package struct ModelRuleErrors: Error, Sendable, CustomStringConvertible {
  /// The problems, at least one, in the order of entities and properties.
  package let errors: [ModelRuleError]

  package init(_ errors: [ModelRuleError]) { self.errors = errors }

  /// The problems, each on a line of its own.
  package var description: String { errors.map(\.description).joined(separator: "\n") }

  /// The error as Core Data throws it: 134060 in Cocoa's domain, with an error for each problem
  /// under `NSDetailedErrorsKey`.
  package var cocoaError: NSError {
    ManagedObjects.cocoaError(
      NSCoreDataError, description, [NSDetailedErrorsKey: errors.map(\.cocoaError)])
  }
}
