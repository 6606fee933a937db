import CloudKitClient
import CloudRecords
import Foundation
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// Sets a store up with its cloud, and resets its state.
final class Setup: EnginePart {
  let shared: EngineContext
  let importer: Importer

  init(_ shared: EngineContext, importer: Importer) {
    (self.shared, self.importer) = (shared, importer)
  }
}

extension Setup {
  /// Checks the signed-in user, and creates zone and subscription if needed.
  package func setUpOnce() async -> MirrorOutcome {
    do {
      // Pending changes are counted even if the server cannot be reached.
      try ledger.completeOutbox()
      if try ledger.state(.startingOver) != nil { try await replaceData() }
      try await checkAccount()
      try Relisting(importer: importer).noteReadableParts()
      guard try ledger.state(.setupDone) == nil else { return MirrorOutcome() }
      if mirror.scope == .private {
        try await mirror.database.save(CKRecordZone(zoneID: mirror.homeZone.zoneID))
      }
      if let name = mirror.subscriptionName {
        try await mirror.database.save(CKDatabaseSubscription(subscriptionID: name))
      }
      try ledger.setState([.setupDone: .integer(1)])
      return MirrorOutcome(hasMoved: true)
    } catch {
      return MirrorOutcome(failure: MirrorError(error).ofNoRecord)
    }
  }

  /// Throws if another user than the store's is signed in, or none and the database needs one.
  private func checkAccount() async throws {
    try checkSealing()
    if mirror.scope == .public {
      _ = try await importer.readers.determineReader()
      return try checkPlace(isSameUser: nil)
    }
    switch try await mirror.container.accountStatus() {
    case .available: break
    case .noAccount: throw MirrorError(.noAccount, "No user is signed in.")
    default: throw MirrorError.sessionRefused
    }
    let user = try await mirror.container.userRecordID().recordName
    guard case .text(let owner)? = try ledger.state(.account) else {
      try ledger.setState([.account: .text(user)])
      return try checkPlace(isSameUser: true)
    }
    try checkPlace(isSameUser: owner == user)
    guard owner == user else {
      throw MirrorError(
        .accountChanged, "The signed-in user is not the user of this store's data.")
    }
  }

  // MARK: Resets

  /// Performs a reset, which drops state of the cloud, and in some cases objects.
  package func resetOnce(_ reset: MirrorStep.Reset) async -> MirrorOutcome {
    do {
      switch reset {
      case .tokens: try Reconciler(importer: importer).forgetTokens()
      case .zone: try forgetZone()
      case .encryptedData:
        try await deleteUnreadableZone()
        try forgetZone()
      case .objects: try await removeObjects()
      case .cloud: try adoptCurrentCloud()
      case .account: try await replaceData()
      }
      return MirrorOutcome(hasMoved: true)
    } catch {
      return MirrorOutcome(failure: MirrorError(error))
    }
  }

  /// Requeues everything for a new zone; in a public database, what the present user received.
  ///
  /// - Parameter isOfOtherCloud: Whether the zone belongs to another cloud.
  func forgetZone(isOfOtherCloud: Bool = false) throws {
    if isOfOtherCloud, mirror.scope == .private {
      for zone in try ledger.sharedZones.identifiers() {
        try ledger.sharedZones.moveHome(from: zone)
        try ledger.sharedZones.drop(zone)
      }
    }
    let isAll = mirror.scope != .public || isOfOtherCloud
    try ledger.requeueAll(mirror.homeZone, lost: isAll ? .all : .received(to: mirror.presentUser))
    try ledger.setZoneToken(nil, of: mirror.homeZone)
    var state: [LedgerStateKey: Value] = [
      .databaseToken: .null, .setupDone: .null, .awaitedDecision: .null, .formerToken: .null,
      .lostHistory: .null,
    ]
    state.merge(PollingCursor.forgetting(mirror.polledTypes)) { $1 }
    try ledger.dropDeferred(DeferredItem.Kind.ofRecords)
    try ledger.setState(state)
  }

  /// Deletes the rest of a zone whose encrypted values are lost.
  ///
  /// A readable zone stays: another device has created it again and is filling it.
  private func deleteUnreadableZone() async throws {
    do {
      _ = try await mirror.database.recordZoneChanges(
        inZoneWith: mirror.homeZone.zoneID, since: nil, desiredKeys: [], resultsLimit: 1)
      return
    } catch {
      switch MirrorError(error).kind {
      case .encryptedDataReset: break
      case .zoneMissing, .zoneDeletedByUser: return
      default: throw error
      }
    }
    do {
      try await mirror.database.deleteRecordZone(withID: mirror.homeZone.zoneID)
    } catch CKError.zoneNotFound {
      return
    } catch CKError.userDeletedZone {
      return
    }
  }

  /// Removes the objects that the cloud had, after the program agreed.
  ///
  /// Objects with unsent changes stay and are sent again.
  private func removeObjects() async throws {
    // The user wants the data deleted, so records that a restored server lost are not sent again.
    try ledger.setState([.lostHistory: .null])
    importer.reconciliation.begin()
    _ = try await Reconciler(importer: importer, isAgreed: true).end(mirror.homeZone)
    try forgetZone()
  }

  /// Removes all objects and all state; the former user's data stays in the cloud.
  ///
  /// The start is recorded first. An interrupted run is completed before anything else, regardless
  /// of the signed-in user, because nothing that it removed may be sent. Later saves belong to the
  /// next user.
  private func replaceData() async throws {
    try ledger.completeOutbox()
    importer.reconciliation.end()
    let begun = try ledger.beginStartingOver()
    let shared = try ledger.sharedZones.identifiers()
    for zone in [mirror.homeZone] + shared {
      var count = 0
      repeat {
        let keys = try ledger.objects(
          in: zone, after: nil, through: begun, limit: MirrorLimits.recordsInPage)
        let names = try ledger.records(of: keys).values.map(\.identifier).sorted()
        var page = ImportPage(deleted: names.map(\.recordID))
        page.isGoneOutsidePage = { _ in true }
        if !names.isEmpty { try await importer.apply(page) }
        noteProgress()
        count = names.count
      } while count > 0
    }
    for zone in shared { try ledger.sharedZones.drop(zone) }
    try ledger.forgetAll()
  }
}
