import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SyncKernel

/// Sharing of a store's objects.
struct StoreSharing: Sendable {
  let engine: MirrorEngine

  private var mirror: MirrorStore { engine.mirror }
  private var ledger: Ledger { engine.ledger }

  /// The shares of the store, with their zones.
  func shares() throws -> [RecordZoneIdentifier: CKShare] {
    Dictionary(
      try ledger.sharedZones.all().compactMap { zone in
        zone.ckShare.map { (zone.identifier, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the shares of those objects that the server has.
  func shares(of keys: [RowKey]) throws -> [RowKey: CKShare] {
    var shares: [RecordZoneIdentifier: CKShare?] = [:]
    return try ledger.records(of: keys).compactMapValues { row in
      guard row.tag != nil else { return nil }
      let zone = row.identifier.zone
      if shares[zone] == nil { shares[zone] = try ledger.sharedZones.zone(zone)?.ckShare }
      return shares[zone] ?? nil
    }
  }

  /// Moves objects, and all objects that they are related to, to a zone with a share.
  ///
  /// The zone and a new share are saved before anything moves. From then on the objects are sent
  /// like any other change.
  ///
  /// - Parameter existing: The share; nil to create one.
  /// - Returns: The keys of all objects of the share that were given or reached, and the share.
  func share(
    _ keys: [RowKey], in existing: CKShare?, within limit: SharingLimit, allowsMembers: Bool
  ) async throws -> (Set<RowKey>, CKShare) {
    guard mirror.scope == .private else {
      throw MirrorError.notMirrored(
        "Objects of a \(mirror.scope) database cannot be shared by this user.",
        remedy: "Share objects in a store of the private database.")
    }
    // In the queue, no import can list the zones meanwhile.
    return try await engine.queue.attempt { [self] in
      try await assign(keys, to: existing, within: limit, allowsMembers: allowsMembers)
    }
  }

  private func assign(
    _ keys: [RowKey], to existing: CKShare?, within limit: SharingLimit, allowsMembers: Bool
  ) async throws -> (Set<RowKey>, CKShare) {
    if let failure = await engine.setUpOnce().failure { throw failure.sharing }
    var named: Set<RowKey> = []
    let keys = keys.filter { named.insert($0).inserted }
    guard try ledger.records(of: keys).count == keys.count else {
      throw MirrorError.notMirrored("An object was deleted, or its entity is not mirrored.")
    }
    let known = try existing.map { share in
      let zone = RecordZoneIdentifier(share.recordID.zoneID)
      guard try ledger.sharedZones.zone(zone)?.share != nil else {
        throw MirrorError.notMirrored(
          "The store has no share in the zone \(zone.zoneName).",
          remedy: "Use a share of fetchShares(in:).")
      }
      return zone
    }
    // Checked before the zone is created, so that an impossible share leaves nothing behind.
    let reach = try ledger.sharedZones.reach(of: keys, within: limit)
    try explaining { try reach.check(allowing: allowsMembers ? known : nil) }
    let zone: RecordZoneIdentifier
    let share: CKShare
    if let existing, let known {
      (zone, share) = (known, existing)
    } else {
      (zone, share) = try await makeShare()
    }
    var moved = try explaining {
      try ledger.sharedZones.beginSharing(keys, in: zone, allowsMembers: allowsMembers)
    }
    moved += try ledger.sharedZones.finishMoves()
    engine.shared.sharesChanged()
    engine.note(.unsentFound)
    return (Set(reach.objects).union(moved), share)
  }

  private func makeShare() async throws -> (RecordZoneIdentifier, CKShare) {
    let name = MirrorNames.shareZonePrefix + mirror.dependencies.makeUUID().uuidString
    let zoneID = CKRecordZone.ID(zoneName: name)
    let zone = RecordZoneIdentifier(zoneID)
    do {
      let database = try mirror.database
      do { try await database.save(CKRecordZone(zoneID: zoneID)) } catch let error as CKError
        where [.limitExceeded, .quotaExceeded].contains(error.code)
      {
        throw MirrorError(
          .limitExceeded, "No further share can be created: \(error.localizedDescription)",
          remedy: "Add the objects to an existing share, or purge one that is not needed.")
      }
      let saved = try await database.save(CKShare(recordZoneID: zoneID))
      guard let share = saved as? CKShare else {
        throw MirrorError(.unexpected, "The server saved the share as another record.")
      }
      try ZoneFeed(importer: engine.importer).noteShare(share, of: zone)
      return (zone, share)
    } catch {
      // If the zone was created, the next export deletes it, like the zone of an ended share.
      try? ledger.sharedZones.set(nil, isReadOnly: false, of: zone)
      try? ledger.setState([.endsZone(zone): .integer(1)])
      throw MirrorError(error).ofNoRecord.sharing
    }
  }

  /// Converts errors of sharing to those for programs.
  private func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SharingError {
      throw error.cocoaError(mirror.layouts, mirror.identity)
    }
  }

  // MARK: Shares of others

  /// Accepts shares, and then tries to import their contents.
  func accept(_ metadata: [CKShare.Metadata]) async throws {
    let setup = await engine.queue.run { [engine] in await engine.setUpOnce() }
    if let failure = setup.failure { throw failure.sharing }
    for (_, result) in try await mirror.container.accept(metadata) { _ = try result.get() }
    do throws(MirrorError) { try await engine.syncNow(comparesNames: false) } catch {
      // The shares are accepted. A later import fetches what is missing.
      engine.log(.blockers, error.message)
    }
  }

  /// Saves a share, and stores the server's version.
  func persist(_ share: CKShare) async throws -> CKShare {
    let saved = try await mirror.database.save(share)
    guard let saved = saved as? CKShare else {
      throw MirrorError(.unexpected, "The server saved the share as another record.").sharing
    }
    try ZoneFeed(importer: engine.importer).noteShare(
      saved, of: RecordZoneIdentifier(saved.recordID.zoneID))
    engine.shared.sharesChanged()
    return saved
  }

  /// Deletes a zone with its records, or leaves the share of another user, and deletes the objects.
  func purge(_ zone: RecordZoneIdentifier) async throws {
    guard zone != mirror.homeZone || mirror.scope == .private else {
      throw MirrorError.notMirrored(
        "The zone of a \(mirror.scope) database's own objects cannot be purged.",
        remedy: "Delete the objects instead.")
    }
    // In the queue, no import can run and find the zone missing.
    try await engine.queue.attempt { [self] in
      try await delete(zone)
      do {
        if zone == mirror.homeZone {
          try await removeHomeObjects()
        } else {
          _ = try await ZoneFeed(importer: engine.importer).end(
            zone, .deleted, keepsUnsent: false)
        }
      } catch { throw MirrorError(error).sharing }
    }
    engine.shared.sharesChanged()
    engine.publisher.stateChanged(engine)
  }

  private func delete(_ zone: RecordZoneIdentifier) async throws {
    let database = try mirror.database
    do {
      if mirror.scope == .shared {
        try await database.deleteRecord(
          withID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone.zoneID))
      } else {
        try await database.deleteRecordZone(withID: zone.zoneID)
      }
    } catch let error as CKError
      where error.isOfMissingZone || error.code == .unknownItem
    {}
  }

  /// Removes all objects of the home zone, and requests the setup that creates the zone again.
  private func removeHomeObjects() async throws {
    try ledger.completeOutbox()
    _ = try await ZoneFeed(importer: engine.importer).removeObjects(of: mirror.homeZone)
    try engine.setup.forgetZone()
    // The store may await a decision about the deleted zone.
    if !engine.decide(.decided(uploadAgain: false)) { engine.note(.accountChanged) }
  }
}

extension SharedZones.Zone {
  /// The zone's share; nil if it has none, or if it cannot be read.
  fileprivate var ckShare: CKShare? { share.flatMap(CKShare.share) }
}

extension MirrorError {
  /// The error that a call of the sharing API throws.
  var sharing: NSError { cocoaError(in: nil) }

  /// Returns the error for objects or a store that a sharing call does not apply to.
  ///
  /// - Parameter remedy: The remedy, if that of the kind does not fit.
  static func notMirrored(_ message: String, remedy: String? = nil) -> NSError {
    MirrorError(.notMirrored, message, remedy: remedy).sharing
  }
}
