package import CloudRecords
import Foundation

/// What a sync engine remembers from one launch of the program to the next.
///
/// A value: the engine changes it only by ``apply(_:)`` and by the wishes of the program.
package struct SyncState: Equatable, Sendable {
  /// The user record name of whoever was signed in; nil where nobody was, or it is not known yet.
  package var user: String?
  /// The container and environment of whose database this is known; nil before an engine has
  /// looked.
  ///
  /// The server's address is not among it: a server that has another one is the same, and another
  /// one's users have other names.
  package var container: ContainerAddress?
  /// The subscription by which the server tells of changes; nil until there is one.
  package var subscriptionID: String?
  /// The place up to which zones are known that changed; nil to list all.
  package var databaseToken: String?
  /// The places up to which zones were fetched.
  package var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// Zones that are fetched from the beginning since the server did not remember the place: what
  /// was deleted meanwhile is told by nobody.
  package var expiredZones: Set<CKRecordZone.ID> = []
  /// How far these were fetched, while the engine lives.
  package private(set) var listings: [CKRecordZone.ID: Listing] = [:]
  /// Records that were left out, since their keys had not come or a later version of the library
  /// sealed them, by their zones.
  package private(set) var unread: [CKRecordZone.ID: Unread] = [:]
  /// Zones whose program was told in this launch that some of them cannot be read.
  private(set) var toldUnread: Set<CKRecordZone.ID> = []
  /// Zones of whose unread records none can be read in this launch.
  private(set) var restingUnread: Set<CKRecordZone.ID> = []
  /// Zones of which changes are known that were not fetched, the oldest first.
  package var unfetchedZones: [CKRecordZone.ID] = []
  /// Records that are to be sent.
  package var records = PendingList<CKRecord.ID>()
  /// Zones that are to be sent.
  package var zones = PendingList<CKRecordZone.ID>()
  /// Whether the program has changes of which it alone knows.
  package var hasUntracked = false
  /// How often the program has said so.
  package var untrackedStamp: UInt64 = 0

  package init() {}

  /// What could not be opened of a zone: no feed tells it again when it can be.
  package struct Unread: Equatable, Sendable {
    /// The first that were left out.
    package var recordIDs: [CKRecord.ID] = []
    /// There were more: the zone is fetched anew once one of these can be opened.
    package var areMore = false

    package init() {}
  }

  /// What is there of a zone that is fetched from the beginning: so a fetch that broke off is gone
  /// on with.
  ///
  /// It is not kept beyond the launch: names of all records would be written with each page.
  package struct Listing: Equatable, Sendable {
    /// Up to where it was fetched.
    package var token: String
    /// The records that are there.
    package var recordIDs: Set<CKRecord.ID> = []
  }

  /// Whether there is anything to send.
  package var hasSomethingToSend: Bool { hasUntracked || !records.isEmpty || !zones.isEmpty }

  /// What happened, as far as it is remembered.
  package enum Change: Equatable, Sendable {
    /// Zones were listed, up to a place; nil where the place is of no use after a launch.
    case listed(changed: [CKRecordZone.ID], gone: [CKRecordZone.ID], token: String?)
    /// The server does not remember the place any more.
    case listingExpired
    /// A page of a zone was fetched.
    case fetched(CKRecordZone.ID, token: String, isLast: Bool)
    /// A page of a zone that expired was fetched, with more to come.
    case fetchedAnew(CKRecordZone.ID, there: [CKRecord.ID], gone: [CKRecord.ID], token: String)
    /// Records were left out, since they cannot be opened now.
    case leftOut(CKRecordZone.ID, [CKRecord.ID])
    /// Records that were left out still cannot be opened, which the program was told in this
    /// launch; they rest where none of the zone's can be in it.
    case stayedUnread(CKRecordZone.ID, rest: Bool)
    /// Records that were left out were told, or are gone.
    case caughtUp(CKRecordZone.ID, [CKRecord.ID])
    /// The server does not remember the place in a zone any more.
    case zoneExpired(CKRecordZone.ID)
    /// A zone is not there any more.
    case zoneGone(CKRecordZone.ID)
    /// Zones are done that had been wished by a stamp, well or not.
    case sentZones([CKRecordZone.ID], wishedBy: UInt64)
    /// Records are done that had been wished by a stamp, well or not.
    case sentRecords([CKRecord.ID], wishedBy: UInt64)
    /// The program has no more changes than those that it had told of by a stamp.
    case untrackedSent(wishedBy: UInt64)
    /// Somebody else is signed in, or nobody, or the engine is bound to another container or
    /// environment.
    case account(String?, in: ContainerAddress)
    /// There is a subscription.
    case subscribed(String)
  }

  /// Notes what happened.
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
    case .fetchedAnew(let zoneID, let there, let gone, let token):
      listings[zoneID, default: Listing(token: token)].note(there: there, gone: gone, token: token)
    case .leftOut(let zoneID, let recordIDs):
      unread[zoneID, default: Unread()].note(recordIDs)
      toldUnread.insert(zoneID)
      restingUnread.remove(zoneID)
    case .stayedUnread(let zoneID, let rest):
      toldUnread.insert(zoneID)
      if rest { restingUnread.insert(zoneID) }
    case .caughtUp(let zoneID, let recordIDs): catchUp(zoneID, with: recordIDs)
    case .zoneExpired(let zoneID):
      (zoneTokens[zoneID], listings[zoneID]) = (nil, nil)
      expiredZones.insert(zoneID)
    case .zoneGone(let zoneID): forget(zoneID)
    case .sentZones(let zoneIDs, let stamp):
      for zoneID in zoneIDs { zones.settle(zoneID, wishedBy: stamp) }
    case .sentRecords(let recordIDs, let stamp):
      for recordID in recordIDs { records.settle(recordID, wishedBy: stamp) }
    case .untrackedSent(let stamp): if untrackedStamp <= stamp { hasUntracked = false }
    case .account(let user, let container): switchAccount(to: user, in: container)
    case .subscribed(let name): subscriptionID = name
    }
  }

  /// Where not all that was left out is known by name, the zone is fetched anew.
  private mutating func catchUp(_ zoneID: CKRecordZone.ID, with recordIDs: [CKRecord.ID]) {
    guard var left = unread[zoneID] else { return }
    left.recordIDs.removeAll { recordIDs.contains($0) }
    unread[zoneID] = left.recordIDs.isEmpty && !left.areMore ? nil : left
    guard left.areMore else { return }
    unread[zoneID] = nil
    zoneTokens[zoneID] = nil
    if !unfetchedZones.contains(zoneID) { unfetchedZones.append(zoneID) }
  }

  private mutating func forget(_ zoneID: CKRecordZone.ID) {
    (zoneTokens[zoneID], listings[zoneID], unread[zoneID]) = (nil, nil, nil)
    expiredZones.remove(zoneID)
    toldUnread.remove(zoneID)
    restingUnread.remove(zoneID)
    unfetchedZones.removeAll { $0 == zoneID }
  }

  /// Whether what is known is about another container or environment.
  package func isElsewhere(than container: ContainerAddress) -> Bool {
    user != nil && self.container != nil && self.container != container
  }

  /// Nothing of one account is of any use to another, nor of one environment in another.
  ///
  /// What was wished while nobody was signed in belongs to who signs in.
  private mutating func switchAccount(to user: String?, in container: ContainerAddress) {
    if self.user != nil, self.user != user || isElsewhere(than: container) { self = SyncState() }
    (self.user, self.container) = (user, container)
  }
}

extension SyncState.Listing {
  /// A page came.
  fileprivate mutating func note(there: [CKRecord.ID], gone: [CKRecord.ID], token: String) {
    self.token = token
    recordIDs.formUnion(there)
    recordIDs.subtract(gone)
  }
}

extension SyncState.Unread {
  /// As many as are asked for at once.
  private static let most = SyncLimits.changesPerPage

  fileprivate mutating func note(_ others: [CKRecord.ID]) {
    let added = others.filter { !recordIDs.contains($0) }
    areMore = areMore || recordIDs.count + added.count > Self.most
    recordIDs += added.prefix(max(0, Self.most - recordIDs.count))
  }

  /// As they were kept.
  init(_ recordIDs: [CKRecord.ID], areMore: Bool) {
    (self.recordIDs, self.areMore) = (recordIDs, areMore)
  }
}

extension SyncState {
  /// Takes over what was kept.
  mutating func take(_ kept: Unread, of zoneID: CKRecordZone.ID) { unread[zoneID] = kept }
}
