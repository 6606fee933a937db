import ManagedObjectModel
import ObjectRows

/// How an object comes to a row, to one of its own, and to none.
extension NSManagedObject {
  /// What the object has of its own, if it has anything.
  final var state: ObjectState? {
    flags.contains(.stateful) ? unsafe unsafeDowncast(owner, to: ObjectState.self) : nil
  }

  /// What the object has of its own, made where there was nothing yet.
  ///
  /// The row stays the one of the page until something is changed.
  final func ownState() -> ObjectState {
    if let state { return state }
    let committed = (owner as? RowPage).map { ObjectState.CommittedRow(row: row, page: $0) }
    let state = ObjectState(layout: layout, committed: committed)
    state.storeIdentity = owner.storeIdentity
    owner = state
    flags.insert(.stateful)
    registry?.expectFarewell(of: self)
    return state
  }

  /// Brings in the values of a fault.
  final func prepareAccess() {
    if flags.contains(.checked) { context?.requireAccess("An object of \(entityName) was used") }
    if flags.contains(.fault) { fire() }
  }

  /// The name of the entity, for messages.
  final var entityName: String { layout.entity.name ?? "an entity without a name" }

  /// Whether a row is at hand, be it that the object is still a fault.
  final var hasRow: Bool { row != layout.emptyRow }

  private func fire() {
    guard let context else { return }
    if hasRow { context.bringInFreshRow(of: self) } else { context.fulfillFault(self) }
    guard flags.contains(.fault) else { return }
    flags.remove(.fault)
    withoutCounting { awakeFromFetch() }
  }

  /// Gives an object without changes a row of a page.
  ///
  /// A fault stays one until its first access.
  final func attach(_ row: RowReference, on page: RowPage) {
    guard let state else {
      self.row = row
      owner = page
      return
    }
    let differing = layout.slots.indices.filter { !layout.isEqual($0, in: self.row, and: row) }
    withObservedChange(differing) {
      state.committed = ObjectState.CommittedRow(row: row, page: page)
      state.decoded = [:]
      for ordinal in differing { state.destinations[ordinal] = nil }
      state.dropOwnRow()
      self.row = row
    }
  }

  /// Makes the object's own row out of the committed one, for a change.
  final func makeRowWritable() -> ObjectState {
    let state = ownState()
    if !state.ownsRow { row = state.makeOwnRow(copying: row) }
    return state
  }

  /// Lets go of values and relationships.
  ///
  /// The next access brings the values in again.
  final func turnIntoFault() {
    guard !flags.contains(.fault) else { return dropValues() }
    willTurnIntoFault()
    dropValues()
    didTurnIntoFault()
  }

  private func dropValues() {
    withObservedChange(layout.slots.indices) {
      let (layout, observation) = (layout, state?.observation)
      rowOwner = RowOwner(layout: layout)
      registry?.expectFarewell(of: self)
      row = layout.emptyRow
      flags.subtract([.stateful, .writable, .inserted, .updated, .deleted])
      flags.insert(.fault)
      if let observation { ownState().observation = observation }
    }
  }

  /// Makes the object a clean one whose committed row is the given one: called after a save.
  ///
  /// Transient values and the relationships that were followed are kept.
  final func didSave(as saved: RowReference, on page: RowPage) {
    flags.subtract([.writable, .inserted, .updated])
    if hasNothingButRow {
      row = saved
      owner = page
      flags.remove(.stateful)
      return
    }
    guard let state else { return attach(saved, on: page) }
    state.committed = ObjectState.CommittedRow(row: saved, page: page)
    state.changed = OrdinalSet()
    state.event = nil
    for (_, members) in state.members { members.acceptChanges() }
    if keepsTransientValues(state) { return }
    state.dropOwnRow()
    row = saved
    if state.isBare {
      owner = page
      flags.remove(.stateful)
    }
  }

  /// Gives the object's own row away, where it has one: the caller gives the object another one.
  @inline(__always)
  final func takeOwnRow() -> RowReference? { withHeldState { $0.takeOwnRow() } ?? nil }

  /// Whether nothing would be lost with the state, which gave its row away.
  @inline(__always)
  private final var hasNothingButRow: Bool { withHeldState { !$0.ownsRow && $0.isBare } ?? false }

  /// Forgets what the object was before the current event.
  @inline(__always)
  final func endStateEvent() { _ = withHeldState { if $0.event != nil { $0.event = nil } } }

  /// Asks the state, where there is one, without counting it as held: the closure must not let go
  /// of it.
  @inline(__always)
  private final func withHeldState<Result>(_ body: (ObjectState) -> Result) -> Result? {
    guard flags.contains(.stateful) else { return nil }
    return unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef {
      unsafe body(unsafeDowncast($0, to: ObjectState.self))
    }
  }

  /// Whether the private row holds transient values, which no page has.
  private func keepsTransientValues(_ state: ObjectState) -> Bool {
    guard state.ownsRow else { return false }
    return layout.slots.contains { $0.kind != .none && !$0.isStored && !$0.isNull(in: row) }
  }

  /// Runs a hook whose changes do not count.
  final func withoutCounting(_ body: () -> Void) {
    let wasSilent = flags.contains(.silent)
    flags.insert(.silent)
    body()
    if !wasSilent { flags.remove(.silent) }
  }
}
