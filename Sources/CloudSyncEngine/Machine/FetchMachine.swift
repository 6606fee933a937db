package import CloudKitClient

/// The state machine of one fetch.
///
/// ```
/// begin ──▶ listing ──more──▶ listing
///              │ last page
///              ▼
///            zone ──more──▶ zone (the same, its next page)
///              │ last page, or an error of this zone
///              ▼
///            zone (the next) ··· none left ──▶ unread ──▶ unread (the next zone) ··· ──▶ end
/// ```
///
/// - Listing: pages of changed zones arrive, without the zones' records.
/// - Zone: all zones before it are fetched or reported as failed.
/// - Unread: records that could not be decrypted are fetched by ID, because their keys may have
///   arrived or this library version may support them.
///
/// Each method takes an event and the engine's state, and returns actions. The last action sends a
/// request or ends the fetch. An event is delivered before it is recorded, so a crash in between
/// delivers it again.
package struct FetchMachine: ~Copyable {
  /// An action of the engine.
  package enum Action: Sendable {
    case deliver(Notice)
    /// Changes the state.
    case apply(SyncState.Change)
    /// Delivers a state update.
    case update
    case list(since: String?)
    case fetch(CKRecordZone.ID, since: String?)
    case read(CKRecordZone.ID, [CKRecord.ID])
    case end(CKError?)
  }

  /// An event for the delegate.
  package enum Notice: Sendable {
    case willFetch
    case database(changed: [CKRecordZone.ID], gone: [CKDatabase.DatabaseChange.Deletion])
    case willFetchZone(CKRecordZone.ID)
    case zone(changed: [CKRecord], deleted: [CKDatabase.RecordZoneChange.Deletion])
    /// - `there`: All records of a zone after a full listing; nil otherwise.
    case didFetchZone(CKRecordZone.ID, CKError?, there: Set<CKRecord.ID>?)
    case didFetch
  }

  private let scope: CKSyncEngine.FetchChangesOptions.Scope
  private let first: [CKRecordZone.ID]

  /// Whether the zones come from notifications, and not from a listing.
  private var areZonesNamed = false
  /// The listing's token.
  ///
  /// During a full listing, the state stores no token before the last page.
  private var listingToken: String?
  private var isWholeListing = false
  private var hasListingExpired = false
  /// The zones in a full listing.
  private var listed: Set<CKRecordZone.ID> = []

  private var rest: ArraySlice<CKRecordZone.ID> = []
  /// The zones with records that earlier fetches could not decrypt.
  private var unread: ArraySlice<CKRecordZone.ID> = []
  private var expired: Set<CKRecordZone.ID> = []
  /// The first record error in the current zone.
  private var recordFailure: CKError?
  /// The first error that concerned one zone and did not end the fetch.
  private var failure: CKError?

  package init(_ options: CKSyncEngine.FetchChangesOptions) {
    scope = options.scope
    first = options.prioritizedZoneIDs
  }

  // MARK: Listing

  /// Begins with a listing, or with the zones that notifications named.
  ///
  /// - Parameter zones: The zones that have changed; nil if a listing has to find them. A listing
  ///   is also necessary if the engine has no token of one of the zones.
  package mutating func begin(_ state: SyncState, changed zones: Set<CKRecordZone.ID>? = nil)
    -> [Action]
  {
    guard let zones, state.databaseToken != nil,
      zones.allSatisfy({ state.zoneTokens[$0] != nil })
    else { return [.deliver(.willFetch)] + list(since: state.databaseToken) }
    areZonesNamed = true
    let changed = zones.sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }
    let change = SyncState.Change.listed(changed: changed, gone: [], token: nil)
    var after = state
    after.apply(change)
    return [
      .deliver(.willFetch), .deliver(.database(changed: changed, gone: [])), .apply(change),
      .update,
    ] + beginZones(after)
  }

  private mutating func list(since token: String?) -> [Action] {
    listingToken = token
    isWholeListing = token == nil
    listed = []
    return [.list(since: token)]
  }

  /// Handles a page of changed zones.
  package mutating func listed(_ page: DatabaseChanges, _ state: SyncState) -> [Action] {
    listed.formUnion(page.changed)
    listed.formUnion(page.deleted.map(\.zoneID))
    listingToken = page.token.text
    var gone = page.deleted.map {
      CKDatabase.DatabaseChange.Deletion(zoneID: $0.zoneID, reason: $0.reason)
    }
    if isWholeListing, !page.moreComing { gone += missing(state) }
    let change = SyncState.Change.listed(
      changed: page.changed.filter { zoneID in !gone.contains { $0.zoneID == zoneID } },
      gone: gone.map(\.zoneID),
      token: isWholeListing && page.moreComing ? nil : page.token.text)
    var after = state
    after.apply(change)
    var actions: [Action] = []
    if !page.changed.isEmpty || !gone.isEmpty {
      actions.append(.deliver(.database(changed: page.changed, gone: gone)))
    }
    if after != state { actions += [.apply(change), .update] }
    guard !page.moreComing else { return actions + [.list(since: page.token.text)] }
    return actions + beginZones(after)
  }

  /// The known zones that a full listing does not contain.
  ///
  /// They were deleted before the server's feed begins.
  private func missing(_ state: SyncState) -> [CKDatabase.DatabaseChange.Deletion] {
    Set(state.zoneTokens.keys).union(state.unfetchedZones).subtracting(listed)
      .sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }
      .map { CKDatabase.DatabaseChange.Deletion(zoneID: $0, reason: .deleted) }
  }

  /// Handles a failed listing.
  package mutating func listingFailed(_ error: CKError) -> [Action] {
    guard error.code == .changeTokenExpired, !hasListingExpired else { return Self.stop(error) }
    hasListingExpired = true
    return [.apply(.listingExpired), .update] + list(since: nil)
  }

  // MARK: Zones

  private mutating func beginZones(_ state: SyncState) -> [Action] {
    let wanted = state.unfetchedZones.filter { scope.contains($0) }
    let urgent = first.filter { wanted.contains($0) }
    rest = (urgent + wanted.filter { !urgent.contains($0) })[...]
    unread =
      state.unread.keys.filter { scope.contains($0) && !state.restingUnread.contains($0) }
      .sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }[...]
    return nextZone(state)
  }

  private mutating func nextZone(_ state: SyncState) -> [Action] {
    recordFailure = nil
    guard let zoneID = rest.popFirst() else { return nextUnread(state) }
    let token = state.listings[zoneID]?.token ?? state.zoneTokens[zoneID]
    return [.deliver(.willFetchZone(zoneID)), .fetch(zoneID, since: token)]
  }

  /// Handles a page of a zone.
  package mutating func fetched(_ zoneID: CKRecordZone.ID, _ page: ZoneChanges, _ state: SyncState)
    -> [Action]
  {
    let errors = page.records.compactMap {
      if case .failure(let error) = $0.result { error } else { nil }
    }
    // The feed would not report the record again, so the token stays before this page.
    if let error = errors.first(where: { $0.isTemporary || !$0.allowsFeedToAdvance }) {
      return zoneFailed(zoneID, error, state)
    }
    recordFailure = recordFailure ?? errors.first
    var actions: [Action] = []
    let sealed = page.records.filter {
      if case .failure(let error) = $0.result { error.canBeOpenedLater } else { false }
    }
    if !sealed.isEmpty { actions.append(.apply(.skipped(zoneID, sealed.map(\.recordID)))) }
    let records = page.records.compactMap { try? $0.result.get() }
    if !records.isEmpty || !page.deleted.isEmpty {
      let deleted = page.deleted.map {
        CKDatabase.RecordZoneChange.Deletion(recordID: $0.recordID, recordType: $0.recordType)
      }
      actions.append(.deliver(.zone(changed: records, deleted: deleted)))
    }
    let isAnew = state.expiredZones.contains(zoneID)
    if isAnew, page.moreComing {
      // The listing is not persisted, so another launch starts it again.
      actions.append(.apply(page.fetchedListing(of: zoneID)))
    } else {
      let change = SyncState.Change.fetched(
        zoneID, token: page.token.text, isLast: !page.moreComing)
      actions += [.apply(change), .update]
    }
    guard !page.moreComing else { return actions + [.fetch(zoneID, since: page.token.text)] }
    failure = failure ?? recordFailure
    let there = isAnew ? page.recordIDs(behind: state.listings[zoneID]) : nil
    return actions + [.deliver(.didFetchZone(zoneID, recordFailure, there: there))]
      + nextZone(state)
  }

  // MARK: Unread

  private mutating func nextUnread(_ state: SyncState) -> [Action] {
    guard let zoneID = unread.popFirst() else { return Self.stop(failure) }
    guard let left = state.unread[zoneID] else { return nextUnread(state) }
    return [.read(zoneID, left.recordIDs)]
  }

  /// Handles records that were fetched by ID because they could not be decrypted earlier.
  package mutating func read(
    _ zoneID: CKRecordZone.ID,
    _ results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)],
    _ state: SyncState
  ) -> [Action] {
    let done = results.filter { result in
      guard case .failure(let error) = result.result else { return true }
      return error.allowsFeedToAdvance && !error.canBeOpenedLater && !error.isTemporary
    }
    if let error = results.lazy.compactMap(\.result.failure).first(where: {
      !$0.allowsFeedToAdvance
    }) {
      note(error)
    }
    let records = done.compactMap { try? $0.result.get() }
    let (error, noted) = stayingUnread(zoneID, results.compactMap(\.result.failure), state)
    guard !done.isEmpty else { return Self.telling(error, of: zoneID) + noted + nextUnread(state) }
    let change = SyncState.Change.recovered(zoneID, done.map(\.recordID))
    var after = state
    after.apply(change)
    // Not all skipped records are known by ID, so fetch the whole zone.
    if after.unfetchedZones.contains(zoneID), !state.unfetchedZones.contains(zoneID) {
      rest.append(zoneID)
    }
    guard !records.isEmpty else {
      return [.apply(change), .update] + Self.telling(error, of: zoneID) + noted + nextZone(after)
    }
    return [
      .deliver(.willFetchZone(zoneID)), .deliver(.zone(changed: records, deleted: [])),
      .apply(change), .update,
    ]
      + [.deliver(.didFetchZone(zoneID, error, there: nil))] + noted + nextZone(after)
  }

  /// Returns the error of records that require a later library version, once per launch.
  ///
  /// If all records that stay unread require one, the fetches of this launch skip them from now on.
  private func stayingUnread(
    _ zoneID: CKRecordZone.ID, _ failures: [CKError], _ state: SyncState
  ) -> (CKError?, [Action]) {
    let left = failures.filter(\.canBeOpenedLater)
    guard let error = left.first(where: \.needsLaterLibrary) else { return (nil, []) }
    let change = SyncState.Change.stillUnreadable(
      zoneID, rest: left.allSatisfy(\.needsLaterLibrary))
    return (state.reportedUnread.contains(zoneID) ? nil : error, [.apply(change)])
  }

  private static func telling(_ error: CKError?, of zoneID: CKRecordZone.ID) -> [Action] {
    error.map {
      [.deliver(.willFetchZone(zoneID)), .deliver(.didFetchZone(zoneID, $0, there: nil))]
    } ?? []
  }

  /// Handles a failed fetch of records that could not be decrypted earlier.
  ///
  /// Later fetches retry.
  package mutating func readFailed(_ error: CKError, _ state: SyncState) -> [Action] {
    error.isTemporary ? Self.stop(failure ?? error) : nextUnread(state)
  }

  // MARK: Failures

  /// Handles a failed fetch of a zone.
  package mutating func zoneFailed(_ zoneID: CKRecordZone.ID, _ error: CKError, _ state: SyncState)
    -> [Action]
  {
    if error.code == .changeTokenExpired, expired.insert(zoneID).inserted {
      return [.apply(.zoneExpired(zoneID)), .update, .fetch(zoneID, since: nil)]
    }
    // A listing reports the zone's deletion and its reason.
    if areZonesNamed, error.isZoneGone {
      areZonesNamed = false
      return [.deliver(.didFetchZone(zoneID, error, there: nil))]
        + list(since: state.databaseToken)
    }
    let reported = Action.deliver(.didFetchZone(zoneID, error, there: nil))
    if error.isTemporary { return [reported] + Self.stop(error) }
    // The next listing reports the zone's deletion and its reason.
    if error.isZoneGone { return [reported, .apply(.zoneGone(zoneID)), .update] + nextZone(state) }
    note(error)
    return [reported] + nextZone(state)
  }

  /// Records an error that does not end the fetch.
  ///
  /// An error after which the engine retries takes precedence.
  private mutating func note(_ error: CKError) {
    if failure?.isRetried != true, failure == nil || error.isRetried { failure = error }
  }

  private static func stop(_ error: CKError?) -> [Action] { [.deliver(.didFetch), .end(error)] }
}

extension Result where Failure == CKError {
  fileprivate var failure: CKError? { if case .failure(let error) = self { error } else { nil } }
}

extension ZoneChanges {
  fileprivate func fetchedListing(of zoneID: CKRecordZone.ID) -> SyncState.Change {
    .fetchedListing(
      zoneID, there: records.map(\.recordID), gone: deleted.map(\.recordID), token: token.text)
  }

  /// The records in a zone after the last page of a full listing, including unreadable ones.
  fileprivate func recordIDs(behind listing: SyncState.Listing?) -> Set<CKRecord.ID> {
    (listing?.recordIDs ?? []).union(records.map(\.recordID)).subtracting(deleted.map(\.recordID))
  }
}
