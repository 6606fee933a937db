import Foundation

/// What a sync engine remembers from one launch of the program to the next.
///
/// A value: the engine changes it only by ``apply(_:)`` and by the wishes of the program.
package struct SyncState: Equatable, Sendable {
  /// The user record name of whoever was signed in; nil where nobody was, or it is not known yet.
  package var user: String?
  /// The subscription by which the server tells of changes; nil until there is one.
  package var subscriptionID: String?
  /// The place up to which zones are known that changed; nil to list all.
  package var databaseToken: String?
  /// The places up to which zones were fetched.
  package var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// Zones that are fetched from the beginning since the server did not remember the place: what was deleted meanwhile is told by nobody.
  package var expiredZones: Set<CKRecordZone.ID> = []
  /// How far these were fetched, while the engine lives.
  package private(set) var listings: [CKRecordZone.ID: Listing] = [:]
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

  /// What is there of a zone that is fetched from the beginning: so a fetch that broke off is gone on with.
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
    /// Somebody else is signed in, or nobody.
    case account(String?)
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
    case .zoneExpired(let zoneID):
      (zoneTokens[zoneID], listings[zoneID]) = (nil, nil)
      expiredZones.insert(zoneID)
    case .zoneGone(let zoneID): forget(zoneID)
    case .sentZones(let zoneIDs, let stamp): for zoneID in zoneIDs { zones.settle(zoneID, wishedBy: stamp) }
    case .sentRecords(let recordIDs, let stamp): for recordID in recordIDs { records.settle(recordID, wishedBy: stamp) }
    case .untrackedSent(let stamp): if untrackedStamp <= stamp { hasUntracked = false }
    case .account(let user): switchAccount(to: user)
    case .subscribed(let name): subscriptionID = name
    }
  }

  private mutating func forget(_ zoneID: CKRecordZone.ID) {
    (zoneTokens[zoneID], listings[zoneID]) = (nil, nil)
    expiredZones.remove(zoneID)
    unfetchedZones.removeAll { $0 == zoneID }
  }

  /// Nothing of one account is of any use to another.
  ///
  /// What was wished while nobody was signed in belongs to who signs in.
  private mutating func switchAccount(to user: String?) {
    guard self.user != nil else {
      self.user = user
      return
    }
    self = SyncState()
    self.user = user
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
