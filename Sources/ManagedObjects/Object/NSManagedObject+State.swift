import ManagedObjectModel
import ObjectRows

/// The object's row and state.
extension NSManagedObject {
  /// The object's private state, if it has one.
  final var state: ObjectState? {
    flags.contains(.stateful) ? unsafe unsafeDowncast(owner, to: ObjectState.self) : nil
  }

  /// The object's private state, created if necessary.
  ///
  /// The row remains the page's until the first change.
  final func ownState() -> ObjectState {
    if let state { return state }
    let committed = (owner as? RowPage).map { ObjectState.CommittedRow(row: row, page: $0) }
    let state = ObjectState(layout: layout, committed: committed)
    state.storeIdentity = owner.storeIdentity
    owner = state
    flags.insert(.stateful)
    registry?.expectDetaching(of: self)
    return state
  }

  /// Loads the values of a fault.
  final func prepareAccess() {
    if flags.contains(.checked) { context?.requireAccess("An object of \(entityName) was used") }
    if flags.contains(.fault) { fire() }
  }

  /// The name of the entity, for messages.
  final var entityName: String { layout.entity.name ?? "an entity without a name" }

  /// Whether a row is available, even if the object is still a fault.
  final var hasRow: Bool { row != layout.emptyRow }

  private func fire() {
    guard let context else { return }
    if hasRow, !isUnread {
      context.reloadStaleRow(of: self)
    } else if !context.fulfillFault(self) {
      return
    }
    guard flags.contains(.fault) else { return }
    flags.remove(.fault)
    withoutCounting { awakeFromFetch() }
  }

  /// Attaches a row of a page to an unchanged object.
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

  /// Copies the committed row to a private one for a change.
  final func makeRowWritable() -> ObjectState {
    let state = ownState()
    if !state.ownsRow { row = state.makeOwnRow(copying: row) }
    return state
  }

  /// Releases values and relationships.
  ///
  /// The next access loads the values again.
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
      registry?.expectDetaching(of: self)
      row = layout.emptyRow
      flags.subtract([.stateful, .writable, .inserted, .updated, .deleted, .changedSilently])
      flags.insert(.fault)
      if let observation { ownState().observation = observation }
    }
  }

  /// Makes the object unchanged with the given committed row, after a save.
  ///
  /// Transient values and loaded relationships stay.
  final func didSave(as saved: RowReference, on page: RowPage) {
    flags.subtract([.writable, .inserted, .updated, .changedSilently])
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

  /// Takes the object's private row, if it has one.
  ///
  /// The caller gives the object another row.
  @inline(__always)
  final func takeOwnRow() -> RowReference? { withHeldState { $0.takeOwnRow() } ?? nil }

  /// Whether the state contains nothing after its row was taken.
  @inline(__always)
  private final var hasNothingButRow: Bool { withHeldState { !$0.ownsRow && $0.isBare } ?? false }

  /// Discards the object's former values of the current event.
  @inline(__always)
  final func endStateEvent() { _ = withHeldState { if $0.hasEvent { $0.event = nil } } }

  /// Calls a closure with the state, unretained.
  ///
  /// The closure must not release the state.
  @inline(__always)
  private final func withHeldState<Result>(_ body: (ObjectState) -> Result) -> Result? {
    guard flags.contains(.stateful) else { return nil }
    return unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef {
      unsafe body(unsafeDowncast($0, to: ObjectState.self))
    }
  }

  /// Whether the private row has transient values, which no page has.
  private func keepsTransientValues(_ state: ObjectState) -> Bool {
    guard state.ownsRow else { return false }
    return layout.slots.contains { $0.kind != .none && !$0.isStored && !$0.isNull(in: row) }
  }

  /// Runs a hook whose changes are not recorded.
  final func withoutCounting(_ body: () -> Void) {
    let wasSilent = flags.contains(.silent)
    flags.insert(.silent)
    body()
    if !wasSilent { flags.remove(.silent) }
    if state?.ownsRow == true { flags.insert(.changedSilently) }
  }

  /// Calls the hook for an event that replaced the object's values, without recording its changes.
  final func awakeSilently(from event: NSSnapshotEventType) {
    withoutCounting { awake(fromSnapshotEvents: event) }
  }
}
