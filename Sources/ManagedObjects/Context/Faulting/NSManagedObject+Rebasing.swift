import ManagedObjectModel
import ObjectRows

/// Moving an object's changes to another committed row, and reverting them.
extension NSManagedObject {
  /// Moves the object's changes to a newer row of the store.
  ///
  /// Transient values stay, because no store has newer ones.
  final func rebase(on newest: RowReference, page: RowPage) {
    let changed = changedOrdinals + unchangedTransientOrdinals
    let moved = movedElsewhere(newest, changed)
    let toMany = flags.contains(.observed) ? state?.members.ordinals ?? [] : []
    withObservedChange((observedDifferences(row, newest) + toMany).filter { !changed.contains($0) })
    {
      rebase(changed, on: newest, page)
    }
    for ordinal in moved { leaveOwner(ordinal, in: newest) }
  }

  /// The to-one relationships that were changed here, and whose stored destination was changed
  /// elsewhere, too.
  private func movedElsewhere(_ newest: RowReference, _ changed: [Int]) -> [Int] {
    guard !flags.contains(.deleted), let committed = state?.committed?.row else { return [] }
    return changed.filter { ordinal in
      let slot = layout.slots[ordinal]
      guard slot.kind == .toOne, !slot.isNull(in: newest),
        !layout.isEqual(ordinal, in: committed, and: newest)
      else { return false }
      guard !slot.isNull(in: committed) else { return true }
      // The same destination may have got its permanent key.
      let former = slot.load(from: committed, as: ToOneValue.self)
      return context?.alias(of: former.key)?.key != slot.load(from: newest, as: ToOneValue.self).key
    }
  }

  /// Removes the object from the members of the owner that the newest row names, because this
  /// context moved the object to another owner.
  private func leaveOwner(_ ordinal: Int, in newest: RowReference) {
    guard let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
      relationship.inverseRelationship?.isToMany == true, let context
    else { return }
    let value = layout.slots[ordinal].load(from: newest, as: ToOneValue.self)
    let owner = context.destination(value, of: self)
    guard owner !== destination(ordinal), !owner.flags.contains(.deleted) else { return }
    // Members that were loaded earlier lack the object, so its removal would not be recorded.
    if let inverse = relationship.inverseRelationship,
      let place = owner.layout.ordinal(of: inverse.name),
      let members = owner.state?.members[place], !(inverse.isOrdered && members.isChanged)
    {
      members.unload()
    }
    owner.removeFromInverse(self, relationship)
  }

  private func rebase(_ changed: [Int], on newest: RowReference, _ page: RowPage) {
    let state = ownState()
    let former = state.ownRow
    if former != nil, changed.contains(where: { layout.slots[$0].kind != .none }) {
      let row = layout.allocateRow(copying: newest)
      for ordinal in changed where layout.slots[ordinal].kind != .none {
        layout.copyValue(ordinal, from: self.row, to: row)
      }
      state.replaceOwnRow(with: row)
      self.row = row
    } else {
      state.dropOwnRow()
      row = newest
      flags.remove(.writable)
    }
    state.committed = ObjectState.CommittedRow(row: newest, page: page)
    state.decoded = state.decoded.filter { changed.contains($0.key) }
    state.destinations.keepOnly(changed)
    // An undo after the save restores a deleted object with the members that it had.
    if flags.contains(.deleted) { return }
    // A changed order of an ordered relationship exists only in the members.
    for (ordinal, members) in state.members where !(members.isChanged && isOrdered(ordinal)) {
      members.unload()
    }
  }

  /// The transient properties that have a value and do not count as changed, as after a save.
  private var unchangedTransientOrdinals: [Int] {
    guard let state, state.ownsRow else { return [] }
    return layout.slots.indices.filter { ordinal in
      let slot = layout.slots[ordinal]
      return slot.kind != .none && !slot.isStored && !slot.isNull(in: row)
        && !state.changed.contains(ordinal)
    }
  }

  final func isOrdered(_ ordinal: Int) -> Bool {
    (layout.properties[ordinal] as? NSRelationshipDescription)?.isOrdered ?? false
  }

  /// Restores the committed values, including the members of relationships.
  final func revertToCommitted() {
    guard let state, let committed = state.committed else { return }
    withObservedChange(state.changed.ordinals) { revert(state, to: committed) }
  }

  private func revert(_ state: ObjectState, to committed: ObjectState.CommittedRow) {
    row = committed.row
    state.dropOwnRow()
    state.changed = OrdinalSet()
    state.event = nil
    state.decoded = [:]
    state.destinations = OrdinalTable()
    for (_, members) in state.members { members.revert() }
    flags.subtract([.writable, .changedSilently])
  }

  /// Makes the object a new one that no store knows, with its current values.
  final func becomeUnsaved() {
    prepareAccess()
    let state = makeRowWritable()
    state.committed = nil
    state.changed = OrdinalSet()
    for (_, members) in state.members { members.becomeNew() }
  }

  /// Detaches the object when its context forgets it or is deallocated.
  ///
  /// The object keeps its values. Its relationships become empty, so that no reference cycle
  /// remains. Most objects need nothing done: see `needsNoDetaching`.
  final func detachFromContext(_ store: @autoclosure () -> StoreIdentity?) {
    flags.subtract([
      .registered, .checked, .writable, .inserted, .updated, .deleted, .listed, .pending,
      .pendingInsert,
      .pendingDelete, .unsaved, .propagated,
    ])
    if key > 0, owner.storeIdentity == nil { ownState().storeIdentity = store() }
    releaseRelated()
  }

  /// Releases related objects.
  ///
  /// Without a context, nothing else would break a reference cycle of such objects.
  final func releaseRelated() {
    guard let state else { return }
    state.destinations = OrdinalTable()
    state.members = OrdinalTable()
    state.formerDestinations = [:]
    state.event = nil
  }
}

extension NSManagedObject {
  /// Whether the object needs nothing done when its context goes away: it has no changes, no loaded
  /// relationship, and its page knows the store.
  final var needsNoDetaching: Bool {
    flags.isDisjoint(with: [.stateful, .inserted, .updated, .deleted, .unsaved, .listed, .pending])
      && owner.storeIdentity != nil
  }
}

extension NSManagedObjectContext {
  /// Detaches an object that is still in use after the context forgot it.
  func detach(_ object: NSManagedObject) {
    object.detachFromContext(storeIdentity(number: object.storeNumber))
  }
}
