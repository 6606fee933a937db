import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Takes objects that were deleted elsewhere out of what the object remembers of its relationships.
  ///
  /// That is no change. A relationship to one of them that was set and not yet saved leads nowhere then.
  final func forgetDestinations(_ gone: Set<ObjectIdentifier>) {
    guard let state else { return }
    for (_, members) in state.members { members.forget(gone) }
    for (ordinal, destination) in state.destinations where gone.contains(ObjectIdentifier(destination)) {
      state.destinations[ordinal] = nil
      if state.ownsRow, differsFromCommitted(ordinal, state) { layout.setNil(layout.slots[ordinal], in: row) }
    }
  }
}
