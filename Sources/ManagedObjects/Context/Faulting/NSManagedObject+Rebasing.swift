import ManagedObjectModel
import ObjectRows

/// How an object comes to another committed row, or back to the one it has.
extension NSManagedObject {
  /// Puts the object's changes on another row: a newer one of the store.
  ///
  /// Its transient values stay, which no store has newer ones of.
  final func rebase(on newest: RowReference, page: RowPage) {
    let changed = changedOrdinals + unchangedTransientOrdinals
    let toMany = flags.contains(.observed) ? state?.members.ordinals ?? [] : []
    withObservedChange((observedDifferences(row, newest) + toMany).filter { !changed.contains($0) })
    {
      rebase(changed, on: newest, page)
    }
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
    // An undo after the save brings a deleted object back with the members that it had.
    if flags.contains(.deleted) { return }
    // What changed in the order of an ordered relationship has no other place than the members.
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

  /// Puts the committed values back, the members of relationships included.
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
    flags.remove(.writable)
  }

  /// Makes the object one that no store knows, with the values that it has.
  final func becomeRowOfItsOwn() {
    prepareAccess()
    let state = makeRowWritable()
    state.committed = nil
    state.changed = OrdinalSet()
    for (_, members) in state.members { members.becomeNew() }
  }

  /// Keeps nothing of the context's: called when the context forgets the object or goes.
  ///
  /// The values that the object has stay; relationships lead nowhere, so that no ring of objects
  /// keeps itself alive.
  ///
  /// Most have nothing to let go of: see `staysAsItIs`.
  final func leaveBehind(_ store: @autoclosure () -> StoreIdentity?) {
    flags.subtract([
      .registered, .checked, .writable, .inserted, .updated, .deleted, .listed, .pending,
      .pendingInsert,
      .pendingDelete, .unsaved, .propagated,
    ])
    if key > 0, owner.storeIdentity == nil { ownState().storeIdentity = store() }
    forgetRelated()
  }

  /// Lets go of related objects: where no context knows a ring of them any more, it would keep
  /// itself alive.
  final func forgetRelated() {
    guard let state else { return }
    state.destinations = OrdinalTable()
    state.members = OrdinalTable()
    state.formerDestinations = [:]
    state.event = nil
  }
}

extension NSManagedObject {
  /// Whether the object needs nothing done when its context goes: it was not changed, followed no
  /// relationship, and its page knows the store.
  final var staysAsItIs: Bool {
    flags.isDisjoint(with: [.stateful, .inserted, .updated, .deleted, .unsaved, .listed, .pending])
      && owner.storeIdentity != nil
  }
}

extension NSManagedObjectContext {
  /// Takes the last of an object that stays in use after the context let go of it.
  func leaveBehind(_ object: NSManagedObject) {
    object.leaveBehind(storeIdentity(number: object.storeNumber))
  }
}
