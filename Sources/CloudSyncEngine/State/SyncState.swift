package import CloudKitClient
package import CloudRecords
import Foundation

/// The state that a sync engine keeps between launches.
///
/// The engine changes it by ``apply(_:)`` only, and the app by its pending changes.
package struct SyncState: Equatable, Sendable {
  /// The user record name at the last account check; nil if no user was signed in or it is unknown.
  package var user: String?
  /// The container and environment of the database; nil before the first sign-in.
  ///
  /// The server's URL is not part of it: a server may move, and users of another server have other
  /// names.
  package var container: ContainerAddress?
  /// The ID of the subscription for notifications; nil if there is none yet.
  package var subscriptionID: String?
  /// The token of the database's feed; nil to list all zones.
  package var databaseToken: String?
  /// The tokens of the zones' feeds.
  package var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// The zones that need a full listing, because their token expired or was discarded.
  ///
  /// The feed does not report their earlier deletions.
  package var expiredZones: Set<CKRecordZone.ID> = []
  /// The progress of the full listings, kept in memory only.
  package private(set) var listings: [CKRecordZone.ID: Listing] = [:]
  /// The records that could not be decrypted, by zone: their keys have not arrived, or a later
  /// library version sealed them.
  package private(set) var unread: [CKRecordZone.ID: Unread] = [:]
  /// The zones whose unreadable records were reported in this launch.
  private(set) var reportedUnread: Set<CKRecordZone.ID> = []
  /// The zones whose unreadable records all require a later library version.
  private(set) var restingUnread: Set<CKRecordZone.ID> = []
  /// The zones with unfetched changes, oldest first.
  package var unfetchedZones: [CKRecordZone.ID] = []
  /// The pending record changes.
  package var records = PendingList<CKRecord.ID>()
  /// The pending zone changes.
  package var zones = PendingList<CKRecordZone.ID>()
  /// Whether the app has untracked changes.
  package var hasUntracked = false
  /// Counts the reports of untracked changes.
  package var untrackedStamp: UInt64 = 0

  package init() {}

  /// The records of a zone that could not be decrypted.
  ///
  /// The feed does not report them again.
  package struct Unread: Equatable, Sendable {
    /// The first such records.
    package var recordIDs: [CKRecord.ID] = []
    /// Whether there are more.
    ///
    /// The whole zone is fetched again once one of the records is readable.
    package var areMore = false

    package init() {}
  }

  /// The progress of a full listing, so that an interrupted one can resume.
  ///
  /// It is not persisted, because each page would write the names of all records.
  package struct Listing: Equatable, Sendable {
    /// The token of the latest page.
    package var token: String
    /// The records in the zone so far.
    package var recordIDs: Set<CKRecord.ID> = []
  }

  /// Whether there are changes to send.
  package var hasSomethingToSend: Bool { hasUntracked || !records.isEmpty || !zones.isEmpty }

  /// A change of the state.
  package enum Change: Equatable, Sendable {
    /// Changed zones were listed up to a token; nil if the token must not be stored.
    case listed(changed: [CKRecordZone.ID], gone: [CKRecordZone.ID], token: String?)
    /// The database's token has expired.
    case listingExpired
    /// A page of a zone was fetched.
    case fetched(CKRecordZone.ID, token: String, isLast: Bool)
    /// A page of a full listing was fetched, with more to come.
    case fetchedListing(CKRecordZone.ID, there: [CKRecord.ID], gone: [CKRecord.ID], token: String)
    /// Records were skipped because they cannot be decrypted now.
    case skipped(CKRecordZone.ID, [CKRecord.ID])
    /// Skipped records are still unreadable, which was reported in this launch. With `rest`, none
    /// of them can become readable before the next launch.
    case stillUnreadable(CKRecordZone.ID, rest: Bool)
    /// Skipped records were fetched or are deleted.
    case recovered(CKRecordZone.ID, [CKRecord.ID])
    /// A zone's token has expired.
    case zoneExpired(CKRecordZone.ID)
    /// A zone no longer exists.
    case zoneGone(CKRecordZone.ID)
    /// Zone changes up to a stamp were performed or failed permanently.
    case sentZones([CKRecordZone.ID], upTo: UInt64)
    /// Record changes up to a stamp were performed or failed permanently.
    case sentRecords([CKRecord.ID], upTo: UInt64)
    /// The app has no more untracked changes than those reported up to a stamp.
    case untrackedSent(upTo: UInt64)
    /// The account, the container or the environment has changed.
    case account(String?, in: ContainerAddress)
    /// A subscription exists.
    case subscribed(String)
  }

  package mutating func apply(_ change: Change) {
    switch change {
    case .listed(let changed, let gone, let token):
      for zoneID in gone { forget(zoneID) }
      let known = Set(unfetchedZones)
      unfetchedZones += changed.filter { !known.contains($0) }
      databaseToken = token ?? databaseToken
    case .listingExpired: databaseToken = nil
    case .fetched(let zoneID, let token, let isLast):
      zoneTokens[zoneID] = token
      if isLast {
        unfetchedZones.removeAll { $0 == zoneID }
        expiredZones.remove(zoneID)
        listings[zoneID] = nil
      }
    case .fetchedListing(let zoneID, let there, let gone, let token):
      listings[zoneID, default: Listing(token: token)].note(there: there, gone: gone, token: token)
    case .skipped(let zoneID, let recordIDs):
      unread[zoneID, default: Unread()].note(recordIDs)
      reportedUnread.insert(zoneID)
      restingUnread.remove(zoneID)
    case .stillUnreadable(let zoneID, let rest):
      reportedUnread.insert(zoneID)
      if rest { restingUnread.insert(zoneID) }
    case .recovered(let zoneID, let recordIDs): catchUp(zoneID, with: recordIDs)
    case .zoneExpired(let zoneID):
      (zoneTokens[zoneID], listings[zoneID]) = (nil, nil)
      expiredZones.insert(zoneID)
    case .zoneGone(let zoneID): forget(zoneID)
    case .sentZones(let zoneIDs, let stamp):
      for zoneID in zoneIDs { zones.settle(zoneID, upTo: stamp) }
    case .sentRecords(let recordIDs, let stamp):
      for recordID in recordIDs { records.settle(recordID, upTo: stamp) }
    case .untrackedSent(let stamp): if untrackedStamp <= stamp { hasUntracked = false }
    case .account(let user, let container): switchAccount(to: user, in: container)
    case .subscribed(let name): subscriptionID = name
    }
  }

  /// Removes records from the skipped ones.
  ///
  /// If not all of them are known by ID, schedules the whole zone.
  private mutating func catchUp(_ zoneID: CKRecordZone.ID, with recordIDs: [CKRecord.ID]) {
    guard var left = unread[zoneID] else { return }
    left.recordIDs.removeAll { recordIDs.contains($0) }
    unread[zoneID] = left.recordIDs.isEmpty && !left.areMore ? nil : left
    guard left.areMore else { return }
    unread[zoneID] = nil
    apply(.zoneExpired(zoneID))
    if !unfetchedZones.contains(zoneID) { unfetchedZones.append(zoneID) }
  }

  private mutating func forget(_ zoneID: CKRecordZone.ID) {
    (zoneTokens[zoneID], listings[zoneID], unread[zoneID]) = (nil, nil, nil)
    expiredZones.remove(zoneID)
    reportedUnread.remove(zoneID)
    restingUnread.remove(zoneID)
    unfetchedZones.removeAll { $0 == zoneID }
  }

  /// Whether the state belongs to another container or environment.
  package func isElsewhere(than container: ContainerAddress) -> Bool {
    user != nil && self.container != container
  }

  /// Discards the state of another account, container or environment.
  ///
  /// Changes that were added while no user was signed in belong to the user who signs in.
  private mutating func switchAccount(to user: String?, in container: ContainerAddress) {
    if self.user != nil, self.user != user || isElsewhere(than: container) { self = SyncState() }
    (self.user, self.container) = (user, container)
  }
}

extension SyncState.Listing {
  /// Adds a page.
  fileprivate mutating func note(there: [CKRecord.ID], gone: [CKRecord.ID], token: String) {
    self.token = token
    recordIDs.formUnion(there)
    recordIDs.subtract(gone)
  }
}

extension SyncState.Unread {
  /// The most records that are kept, which one request can fetch.
  private static let most = SyncLimits.changesPerPage

  fileprivate mutating func note(_ others: [CKRecord.ID]) {
    let added = others.filter { !recordIDs.contains($0) }
    areMore = areMore || recordIDs.count + added.count > Self.most
    recordIDs += added.prefix(max(0, Self.most - recordIDs.count))
  }

  /// Restores the stored form.
  init(_ recordIDs: [CKRecord.ID], areMore: Bool) {
    (self.recordIDs, self.areMore) = (recordIDs, areMore)
  }
}

extension SyncState {
  /// Restores the stored form for a zone.
  mutating func take(_ kept: Unread, of zoneID: CKRecordZone.ID) { unread[zoneID] = kept }
}
