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
    instantiate(RowLayout.layout(of: entity))
  }

  /// Creates an object of a layout's entity without a context.
  static func instantiate(_ layout: RowLayout) -> NSManagedObject {
    let blueprint = layout.blueprint
    let state = ObjectState(layout: layout, committed: nil)
    let row = state.makeOwnRow(copying: blueprint.defaults)
    row.key = TemporaryKeys.next(for: nil)
    return _Materialization(
      blueprint.managedObjectClass, owner: state, row: row, key: row.key, storeNumber: noStore,
      flags: blueprint.flags.union(.stateful), context: nil
    ).make()
  }

  /// Gives an object without a context the model's default values and a new key, as if it had just
  /// been created.
  ///
  /// Returns false if a new object is necessary, because this one has more than a row, or its class
  /// may have properties of its own.
  final func startOver() -> Bool {
    let blueprint = layout.blueprint
    guard blueprint.plainBytes != nil, type(of: self) == blueprint.managedObjectClass,
      registry == nil, let state, state.isBare, !state.hasEvent, state.committed == nil,
      state.formerDestinations.isEmpty, state.ownsRow
    else { return false }
    layout.deinitializeRow(row)
    layout.initializeRow(row, copying: blueprint.defaults)
    state.changed = OrdinalSet()
    key = TemporaryKeys.next(for: nil)
    row.key = key
    return true
  }
}
