package import Foundation

/// A model that generated code registered: its name, its module, its compiled bytes, its classes.
// Sendable: an immutable value; its metatypes are immutable.
package struct ModelRegistration: @unchecked Sendable {
  /// The model's name, as in `NSPersistentContainer(name:)`.
  package let name: String
  /// The module whose generated code registered the model.
  package let module: String
  /// Returns the compiled model.
  package let compiledModel: @Sendable () -> Data
  /// The custom classes of entities, by the entity's name.
  package let classesByEntityName: [String: AnyClass]
}
