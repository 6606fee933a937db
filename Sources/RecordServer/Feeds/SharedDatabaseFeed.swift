import CloudRecords
import CloudWire
import RecordStorage

/// The feed of a shared database: the zones of other users that changed since a position.
///
/// A first walk lists all memberships. Later walks read the new changes of each owner
/// (`SharedChanges`), so their cost grows with the number of owners and of changed zones.
///
/// ```
/// no token ──▶ list of memberships ──▶ new changes of the owners
/// ```
struct SharedDatabaseFeed: Sendable {
  let call: Call
  let token: String?
  let limit: Int

  /// The results so far, from one slice to the next.
  struct State: Sendable {
    fileprivate var position: SharedFeedPosition
    /// Memberships that are still to be listed; the next one is last.
    fileprivate var listed: [Membership] = []
    /// Owners whose changes are still to be read; the next one is last.
    fileprivate var owners: [String] = []
    fileprivate var changes: [ChangesDatabaseResponse.ZoneChange] = []
    fileprivate var moreComing = false
  }

  private var memberships: Memberships { Memberships(realm: call.realm, user: call.callerName) }

  private func database(of owner: String) -> DatabaseKeys {
    DatabaseKeys(realm: call.realm, owner: owner)
  }

  /// Reads a slice.
  func step(_ state: State?, _ transaction: any StorageReading, _ slice: ReadingSlice) throws
    -> ReadingStep<State?, ChangesDatabaseResponse>
  {
    var state = try state ?? begin(transaction, slice)
    guard try find(&state, transaction, slice) else { return .paused(state, bytes: 0) }
    return .done(
      ChangesDatabaseResponse(
        zones: state.changes,
        syncToken: state.position.token(for: call, in: try StoreHistory(of: transaction)),
        moreComing: state.moreComing))
  }

  // MARK: The beginning

  /// Prepares a walk from the client's token.
  private func begin(_ transaction: any StorageReading, _ slice: ReadingSlice) throws -> State {
    let forgotten = try memberships.forgotten(transaction)
    var position = SharedFeedPosition(forgotten: forgotten)
    if let token, !token.isEmpty {
      position = try SharedFeedPosition(token, of: call, in: StoreHistory(of: transaction))
      guard position.forgotten == forgotten else { throw CloudError.tokenExpired() }
    }
    var state = State(position: position)
    let owners = try memberships.owners(transaction)
    let progress = try SharedChanges.progress(of: owners.map(database(of:)), in: transaction)
    slice.visit(owners.count)
    var changes: [UInt64: UInt64] = [:]
    for (owner, progress) in zip(owners, progress).reversed() {
      let name = SharedFeedPosition.name(of: owner)
      let known = position.changes[name]
      if position.listed != nil {
        // Changes that are made during the listing are reported after it.
        changes[name] = known ?? progress.last
      } else {
        if let known, known < progress.forgottenThrough { throw CloudError.tokenExpired() }
        changes[name] = known ?? 0
        if known != progress.last { state.owners.append(owner) }
      }
    }
    state.position.changes = changes
    if let last = position.listed {
      state.listed = try memberships.all(transaction).filter { $0.number > last }
        .sorted { $0.number > $1.number }
    }
    return state
  }

  // MARK: Slices

  /// Finds changed zones.
  ///
  /// - Returns: False if the slice ends before all are found.
  private func find(
    _ state: inout State, _ transaction: any StorageReading, _ slice: ReadingSlice
  ) throws -> Bool {
    while state.position.listed != nil {
      guard !slice.isSpent else { return false }
      guard let membership = state.listed.last else {
        state.position.listed = nil
        return true
      }
      slice.visit()
      guard try list(membership, &state, transaction) else { return true }
      state.listed.removeLast()
    }
    while let owner = state.owners.last {
      guard !slice.isSpent else { return false }
      guard try readChanges(of: owner, &state, transaction, slice) else { return true }
    }
    return true
  }

  /// Lists a membership; false if the page is full.
  private func list(
    _ membership: Membership, _ state: inout State, _ transaction: any StorageReading
  ) throws -> Bool {
    if try memberships.access(by: membership, transaction) == nil {
      state.position.ended.insert(membership.number)
    } else {
      guard add(.changed(membership.zone), &state) else { return false }
    }
    state.position.listed = membership.number
    return true
  }

  /// Reads the next changes of an owner; false if the page is full.
  private func readChanges(
    of owner: String, _ state: inout State, _ transaction: any StorageReading,
    _ slice: ReadingSlice
  ) throws -> Bool {
    let name = SharedFeedPosition.name(of: owner)
    let order = SharedChanges(database: database(of: owner))
    let changes = try order.changes(
      after: state.position.changes[name] ?? 0, limit: ServerLimits.sharedChangesAtOnce,
      in: transaction)
    for change in changes {
      slice.visit()
      guard try report(change, of: owner, &state, transaction) else { return false }
      state.position.changes[name] = change.number
    }
    if changes.count < ServerLimits.sharedChangesAtOnce {
      // The last changes may belong to zones that were removed since.
      let progress = try SharedChanges.progress(of: [order.database], in: transaction)[0]
      state.position.changes[name] = progress.last
      state.owners.removeLast()
    }
    return true
  }

  /// Reports a change as the user sees it now; false if the page is full.
  private func report(
    _ change: SharedChanges.Change, of owner: String, _ state: inout State,
    _ transaction: any StorageReading
  ) throws -> Bool {
    let zone = RecordZoneIdentifier(zoneName: change.zoneName, ownerName: owner)
    guard let membership = try memberships.membership(in: zone, transaction),
      // A later zone of the same name has its own change.
      membership.zoneNumber == change.zoneNumber
    else { return true }
    if try memberships.access(by: membership, transaction) != nil {
      guard add(.changed(zone), &state) else { return false }
      // A former participant has joined again, so a later end must be reported too.
      state.position.ended.remove(membership.number)
      return true
    }
    // A former participant must not learn of the owner's later changes.
    guard !state.position.ended.contains(membership.number) else { return true }
    guard add(.deleted(zone), &state) else { return false }
    state.position.ended.insert(membership.number)
    return true
  }

  /// Adds a change to the page; false if the page is full.
  private func add(_ change: ChangesDatabaseResponse.ZoneChange, _ state: inout State) -> Bool {
    guard state.changes.count < limit else {
      state.moreComing = true
      return false
    }
    state.changes.append(change)
    return true
  }
}
