import Foundation
public import ManagedObjectModel

extension NSManagedObject {
  /// Creates an object of an entity, of the class that represents it.
  ///
  /// Parhelion's addition.
  ///
  /// The class is the one that the entity's model was linked with, else the one that the entity names. An entity
  /// without a class, or with one that is not in the process, gets a plain managed object.
  public static func instantiate(_ entity: NSEntityDescription) -> NSManagedObject {
    RegisteredModels.shared.managedObjectClass(of: entity).init(_materialise: _Materialisation(entity: entity))
  }
}
