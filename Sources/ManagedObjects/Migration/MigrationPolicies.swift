import Foundation
import ManagedObjectModel

/// Finds the classes of entity migration policies by their names.
enum MigrationPolicies {
  /// A new policy for a mapping.
  ///
  /// - Throws: An error if there is no class with the name, or if it is no policy.
  static func policy(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
    guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
      return NSEntityMigrationPolicy()
    }
    let found = ModelRegistry.classes(named: name) + ModelRegistry.classesInModules(named: name)
    for candidate in found {
      if let policyClass = candidate as? NSEntityMigrationPolicy.Type {
        return policyClass.init(_creation: _PolicyCreation())
      }
    }
    let what =
      found.isEmpty
      ? "There is no class \(name)"
      : "The class \(name) is not a subclass of NSEntityMigrationPolicy"
    throw cocoaError(
      NSEntityMigrationPolicyError,
      """
      \(what), which the entity mapping \(mapping.name ?? "without a name") names as its \
      migration policy. Set entityMigrationPolicyClassName to \
      NSStringFromClass(\(name.split(separator: ".").last ?? "").self), or register the class \
      under this name with ModelRegistry.registerObjectiveCNames(_:fileID:).
      """,
      ["class": name, "mapping": mapping.name ?? ""])
  }
}
