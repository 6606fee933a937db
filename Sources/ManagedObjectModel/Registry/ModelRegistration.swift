package import Foundation

/// One model that generated code has made known to the process: its name, its module, its compiled
/// bytes, its classes.
// Sendable: a value that never changes; the metatypes in it are immutable.
package struct ModelRegistration: @unchecked Sendable {
  /// The model's name, as in `NSPersistentContainer(name:)`.
  package let name: String
  /// The module whose generated code registered the model.
  package let module: String
  /// Gives the compiled model.
  package let compiledModel: @Sendable () -> Data
  /// The class of each entity that has one of its own, by the entity's name.
  package let classesByEntityName: [String: AnyClass]
}
