import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// The registered objects that this one is known to reference, without loading any.
  final var knownDestinations: [NSManagedObject] {
    layout.properties.enumerated().flatMap { ordinal, property -> [NSManagedObject] in
      guard let relationship = property as? NSRelationshipDescription else { return [] }
      if relationship.isToMany { return state?.members[ordinal]?.objects ?? [] }
      return knownDestination(ordinal).map { [$0] } ?? []
    }
  }

  private final func knownDestination(_ ordinal: Int) -> NSManagedObject? {
    if let known = state?.destinations[ordinal] { return known }
    let slot = layout.slots[ordinal]
    guard hasRow, slot.kind == .toOne, !slot.isNull(in: row), let context else { return nil }
    let value = slot.load(from: row, as: ToOneValue.self)
    let layout = context.layouts[value.layoutIndex]
    let storeNumber = context.storeNumber(ofKey: value.key, layout, relatedTo: storeNumber)
    return context.registry.object(value.key, rootIndex: layout.rootIndex, storeNumber: storeNumber)
  }

  /// Removes objects that were deleted elsewhere from the object's loaded relationships.
  ///
  /// This does not count as a change. An unsaved reference to such an object becomes nil.
  final func forgetDestinations(_ gone: Set<ObjectIdentifier>) {
    guard let state else { return }
    for (_, members) in state.members { members.forget(gone) }
    for (ordinal, destination) in state.destinations
    where gone.contains(ObjectIdentifier(destination)) {
      state.destinations[ordinal] = nil
      if state.ownsRow, differsFromCommitted(ordinal, state) {
        layout.setNil(layout.slots[ordinal], in: row)
      }
    }
  }
}
