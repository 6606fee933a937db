import Foundation
public import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Creates an object of an entity, of the class that represents it.
  ///
  /// Parhelion's addition.
  ///
  /// The class is the one that the entity's model was linked with, else the one that the entity names. An entity
  /// without a class, or with one that is not in the process, gets a plain managed object.
  public static func instantiate(_ entity: NSEntityDescription) -> NSManagedObject {
    let blueprint = ObjectBlueprints.blueprint(of: entity)
    let state = ObjectState(layout: blueprint.layout, committed: nil)
    let row = state.makeOwnRow(copying: blueprint.defaults)
    row.key = TemporaryKeys.next()
    return blueprint.managedObjectClass.init(
      _materialise: _Materialisation(
        blueprint: blueprint, row: row, owner: state, context: nil, key: row.key, storeNumber: noStore,
        flags: blueprint.flags.union(.stateful)))
  }
}
