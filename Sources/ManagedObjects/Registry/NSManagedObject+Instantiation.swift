import Foundation
public import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Creates an object of an entity, with the class that represents it.
  ///
  /// This method is Parhelion's addition.
  ///
  /// The class is the one that the entity's model was linked with, or the one that the entity
  /// names. If the entity has no class, or the process does not contain it, the object is a plain
  /// managed object.
  public static func instantiate(_ entity: NSEntityDescription) -> NSManagedObject {
    let layout = RowLayout.layout(of: entity)
    let blueprint = layout.blueprint
    let state = ObjectState(layout: layout, committed: nil)
    let row = state.makeOwnRow(copying: blueprint.defaults)
    row.key = TemporaryKeys.next(for: nil)
    return _Materialisation(
      blueprint.managedObjectClass, owner: state, row: row, key: row.key, storeNumber: noStore,
      flags: blueprint.flags.union(.stateful), context: nil
    ).make()
  }
}
