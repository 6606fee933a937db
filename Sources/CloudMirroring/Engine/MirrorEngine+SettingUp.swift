import CloudKitClient
import CloudRecords
import Foundation
import SQLiteDriver

extension MirrorEngine {
  /// Sees who is signed in, and makes zone and subscription where they were not made yet.
  package func setUpOnce() async -> MirrorOutcome {
    do {
      // Whether anybody can be reached or not: what waits is known.
      try ledger.takeStock()
      try await checkAccount()
      try noteReadableParts()
      guard try ledger.state(.setupDone) == nil else { return MirrorOutcome() }
      if site.scope == .private {
        try await site.database.save(CKRecordZone(zoneID: site.homeZone.zoneID))
      }
      if let name = subscriptionName {
        try await site.database.save(CKDatabaseSubscription(subscriptionID: name))
      }
      try ledger.setState([.setupDone: .integer(1)])
      return MirrorOutcome(hasMoved: true)
    } catch {
      return MirrorOutcome(fault: MirrorFault(error).ofNoRecord)
    }
  }

  private var subscriptionName: String? {
    switch site.scope {
    case .private: MirrorNames.privateSubscription
    case .shared: MirrorNames.sharedSubscription
    case .public: nil
    }
  }

  /// Stops where nobody is signed in, or somebody else than the store belongs to.
  private func checkAccount() async throws {
    switch try await site.container.accountStatus() {
    case .available: break
    case .noAccount where site.scope == .public: return try checkPlace(isSameUser: nil)
    case .noAccount: throw MirrorFault(.noAccount, "Nobody is signed in.")
    default: throw MirrorFault(.signInAgain, "The server does not take the account's session any more.")
    }
    guard site.scope != .public else { return try checkPlace(isSameUser: nil) }
    let user = try await site.container.userRecordID().recordName
    guard case .text(let owner)? = try ledger.state(.account) else {
      try ledger.setState([.account: .text(user)])
      return try checkPlace(isSameUser: true)
    }
    try checkPlace(isSameUser: owner == user)
    guard owner == user else {
      throw MirrorFault(.accountChanged, "Another user is signed in than the one whose data this store has.")
    }
  }

  // MARK: Resets

  /// Forgets something of what is known of the cloud.
  package func resetOnce(_ reset: MirrorStep.Reset) async -> MirrorOutcome {
    do {
      switch reset {
      case .tokens: try forgetTokens()
      case .zone: try forgetZone()
      case .encryptedData:
        try await deleteZone()
        try forgetZone()
      case .objects: try await removeObjects()
      case .cloud: try adoptPresentCloud()
      case .account: try await startOver()
      }
      return MirrorOutcome(hasMoved: true)
    } catch {
      return MirrorOutcome(fault: MirrorFault(error))
    }
  }

  /// Everything is sent again, into a zone that is made again.
  func forgetZone() throws {
    try ledger.markAllPending(site.homeZone)
    try ledger.setZoneToken(nil, of: site.homeZone)
    var state: [LedgerStateKey: Value] = [
      .databaseToken: .null, .setupDone: .null, .awaitedDecision: .null, .formerToken: .null,
    ]
    for type in polledTypes { state[.polledUntil(type)] = .null }
    for recordID in try ledger.unreadable().keys { state[.unreadable(recordID)] = .null }
    try ledger.setState(state)
  }

  private func deleteZone() async throws {
    do {
      try await site.database.deleteRecordZone(withID: site.homeZone.zoneID)
    } catch CKError.zoneNotFound {
      return
    } catch CKError.userDeletedZone {
      return
    }
  }

  /// Removes the objects that the cloud had, as the program agreed to; those with unsent changes stay and are sent anew.
  private func removeObjects() async throws {
    sweep.begin()
    _ = try await endSweep(site.homeZone, isAgreed: true)
    try forgetZone()
  }

  /// Removes every object here, and forgets all that was known: what the cloud has of the former user stays there.
  ///
  /// Places in feeds are forgotten first: should it be broken off and the former user come back, everything is listed again.
  private func startOver() async throws {
    try ledger.takeStock()
    try forgetTokens()
    var count = 0
    repeat {
      let keys = try ledger.objects(in: site.homeZone, after: nil, limit: MirrorLimits.recordsInPage)
      let names = try ledger.records(of: keys).values.map(\.identifier).sorted()
      if !names.isEmpty { try await takeIn(ImportPage(deleted: names.map(\.recordID))) }
      count = names.count
    } while count > 0
    try ledger.forgetAll()
  }
}
