import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Imports the zones of a private or shared database.
///
/// A private database has the home zone, and a zone for each share of the user. A shared database
/// has a zone for each share in which the user participates.
///
///     database's feed ──▶ changed zones ──records──▶ once more, until nothing is new
///                                                          │
///                     positions ◀── ended zones ◀── deletions
///
/// A record that moves is saved in its new zone before it is deleted in the former one. So
/// deletions wait until all changed zones were read, and an object that moves is never missing.
struct ZoneFeed: ImporterPart {
  let importer: Importer

  /// Applies the changes of the zones in the database's feed.
  func pull() async throws -> Int {
    if try isHomeZoneAlone() { return try await importer.pull(mirror.homeZone) }
    var (count, pass) = (0, ZonePass(token: try ledger.token(.databaseToken)))
    var isHomeRead = pass.token != nil
    var listed: Set<RecordZoneIdentifier> = []
    while true {
      try Task.checkCancellation()
      let former = pass.token
      let page = try await mirror.database.changedZones(since: &pass.token)
      if former == nil || pass.token == nil { pass.isListing = true }
      if former != nil, pass.token == nil { isHomeRead = false }
      try await checkHomeZoneExists(page.deletions)
      let zones = page.modifications.map { RecordZoneIdentifier($0.zoneID) }.filter {
        $0 == mirror.homeZone || mirror.isShareZone($0)
      }
      if try pass.hasShares || zones.contains(where: mirror.isShareZone)
        || ledger.sharedZones.isAny()
      {
        pass.hasShares = true
      }
      listed.formUnion(zones)
      for zone in zones {
        count += try await read(zone, &pass)
        isHomeRead = isHomeRead || zone == mirror.homeZone
      }
      for deletion in page.deletions where mirror.isShareZone(RecordZoneIdentifier(deletion.zoneID))
      {
        pass.ended[RecordZoneIdentifier(deletion.zoneID)] = deletion.reason
      }
      pass.token = page.changeToken
      guard page.moreComing || (pass.awaitsOthers && !zones.isEmpty && pass.round()) else { break }
    }
    // A full listing of the database leaves out deletions, even that of the home zone; the zone's
    // own feed reports them. The zone's token is also recorded before anything is sent that others
    // may delete.
    if mirror.scope == .private, try !isHomeRead || importer.zoneToken(mirror.homeZone) == nil {
      count += try await read(mirror.homeZone, &pass)
    }
    if pass.isListing { try noteUnlisted(listed, &pass) }
    count += try await finish(&pass)
    if let token = pass.token, try ledger.token(.databaseToken) != token {
      try ledger.setDatabaseToken(token.text)
    }
    return count
  }

  private func read(_ zone: RecordZoneIdentifier, _ pass: inout ZonePass) async throws -> Int {
    guard pass.hasShares else { return try await importer.pull(zone) }
    var count = 0
    var held = pass.held[zone] ?? HeldDeletions()
    held.holdsAllDeletions = plantedBugs?.holdsDeletions ?? true
    do {
      pass.read[zone] = try await importer.read(zone, &held, &count)
      pass.held[zone] = held
    } catch let error as CKError where zone != mirror.homeZone && error.isOfMissingZone {
      pass.ended[zone] = .deleted
    }
    return count
  }

  /// Handles zones that a full listing of the database leaves out.
  ///
  /// If an own share is missing, the server may have lost its zone. Its objects are sent to the
  /// home zone.
  private func noteUnlisted(_ listed: Set<RecordZoneIdentifier>, _ pass: inout ZonePass) throws {
    for zone in try ledger.sharedZones.identifiers() where !listed.contains(zone) {
      pass.ended[zone] = mirror.scope == .private ? .encryptedDataReset : .deleted
    }
  }

  private func finish(_ pass: inout ZonePass) async throws -> Int {
    var count = 0
    for (zone, read) in pass.read.sorted(by: { $0.key < $1.key }) where pass.ended[zone] == nil {
      var held = pass.held[zone] ?? HeldDeletions()
      try await importer.finish(read, &held, &count)
    }
    // Objects that the same feed reported after the end of a share also move to the home zone.
    for zone in pass.read.keys.sorted() where try ledger.state(.endsZone(zone)) != nil {
      try ledger.sharedZones.moveHome(from: zone)
    }
    for (zone, reason) in pass.ended.sorted(by: { $0.key < $1.key }) {
      count += try await end(zone, reason)
    }
    return count
  }

  /// Whether the home zone's own feed is enough, because the server named only this zone.
  private func isHomeZoneAlone() throws -> Bool {
    try news.takeIsAlone(mirror.homeZone) && importer.zoneToken(mirror.homeZone) != nil
      && ledger.token(.databaseToken) != nil && ledger.state(.awaitedDecision) == nil
      && !ledger.sharedZones.isAny()
  }

  /// Throws if the store's home zone was deleted.
  ///
  /// A zone that the store has never seen does not concern it. The database's feed does not tell
  /// who deleted a zone, but the zone's own feed does.
  private func checkHomeZoneExists(_ deletions: [CKDatabase.DatabaseChange.Deletion]) async throws {
    guard
      let deletion = deletions.first(where: { RecordZoneIdentifier($0.zoneID) == mirror.homeZone }),
      try importer.zoneToken(mirror.homeZone) != nil
    else { return }
    switch deletion.reason {
    case .deleted: _ = try await importer.pull(mirror.homeZone)
    case .purged:
      throw MirrorError(.zoneDeletedByUser, "The user deleted the program's data in the cloud.")
    case .encryptedDataReset:
      throw MirrorError(.encryptedDataReset, "The user reset the keys of encrypted values.")
    }
  }

  /// Lists the zone of a share again if an earlier process did not finish a listing of it.
  func restartListing(of zone: RecordZoneIdentifier) throws {
    let reconciliation = importer.reconciliation(of: zone)
    guard zone != mirror.homeZone, !reconciliation.isOn,
      try ledger.state(LedgerStateKey.reconciliation.of(zone, home: mirror.homeZone)) != nil
    else { return }
    reconciliation.begin(startsOver: true)
  }

  // MARK: The end of a zone

  /// Removes the objects of a share that has ended for the user; unsent changes are journaled.
  ///
  /// The objects of an own share move to the home zone after a reset of encrypted data, or if the
  /// server has lost the zone: the user did not delete them.
  ///
  /// - Parameter keepsUnsent: Whether objects of an own share that the server does not have move to
  ///   the home zone. The device that ended the share may never have seen them.
  func end(
    _ zone: RecordZoneIdentifier, _ reason: CKDatabase.DatabaseChange.Deletion.Reason,
    keepsUnsent: Bool = true
  ) async throws -> Int {
    guard try ledger.sharedZones.zone(zone) != nil, plantedBugs?.removesEndedZones ?? true else {
      return 0
    }
    if reason == .encryptedDataReset, mirror.scope == .private {
      try ledger.sharedZones.moveHome(from: zone)
      try ledger.sharedZones.drop(zone)
      return 0
    }
    if keepsUnsent, mirror.scope == .private {
      try ledger.sharedZones.moveHome(from: zone, unsent: true)
    }
    let count = try await removeObjects(of: zone)
    try ledger.sharedZones.drop(zone)
    log(.decisions, "The zone \(zone.zoneName) has ended: \(reason).")
    return count
  }

  /// Removes the objects of a zone; unsent changes are journaled.
  ///
  /// - Returns: The number of removed records.
  func removeObjects(of zone: RecordZoneIdentifier) async throws -> Int {
    var (count, last): (Int, RowKey?) = (0, nil)
    while true {
      try Task.checkCancellation()
      let keys = try ledger.objects(in: zone, after: last, limit: MirrorLimits.recordsInPage)
      guard let end = keys.last else { return count }
      last = end
      let names = try ledger.records(of: keys).values.map(\.identifier).sorted()
      var page = ImportPage(deleted: names.map(\.recordID))
      page.isGoneOutsidePage = { $0.zone == zone }
      count += try await importer.apply(page)
      noteProgress()
    }
  }

  // MARK: Shares

  /// Removes the share of a zone from a page, and records it.
  func noteShares(_ received: inout ImportPage, of zone: RecordZoneIdentifier) throws {
    guard mirror.scope != .public, zone != mirror.homeZone else { return }
    let shares = received.records.compactMap { $0 as? CKShare }.filter(\.isZoneWide)
    let isEnded = received.deleted.contains { $0.recordName == CKRecordNameZoneWideShare }
    guard !shares.isEmpty || isEnded else { return }
    received = received.replacing(
      records: received.records.filter { !($0 is CKShare) },
      deleted: received.deleted.filter { $0.recordName != CKRecordNameZoneWideShare })
    if let share = shares.last {
      try noteShare(share, of: zone)
    } else {
      try noteEndedShare(of: zone)
    }
    shared.sharesChanged()
  }

  /// Ends the share of an own zone if a full listing does not contain it.
  func noteMissingShare(of zone: RecordZoneIdentifier) throws {
    guard mirror.scope == .private, zone != mirror.homeZone else { return }
    try noteEndedShare(of: zone)
    shared.sharesChanged()
  }

  private func noteEndedShare(of zone: RecordZoneIdentifier) throws {
    guard try ledger.sharedZones.zone(zone)?.share != nil else { return }
    try ledger.sharedZones.set(nil, isReadOnly: mirror.scope == .shared, of: zone)
    // The user stopped sharing, so the objects belong to the home zone again.
    if mirror.scope == .private {
      try ledger.setState([.endsZone(zone): .integer(1)])
      try ledger.sharedZones.moveHome(from: zone)
    }
  }

  /// Records the server's version of a share.
  func noteShare(_ share: CKShare, of zone: RecordZoneIdentifier) throws {
    let isReadOnly =
      mirror.scope == .shared && share.currentUserParticipant?.permission != .readWrite
    try ledger.sharedZones.set(share.archived, isReadOnly: isReadOnly, of: zone)
  }
}

/// A pass over the changed zones of a database.
private struct ZonePass {
  /// The most rounds through the database's feed, which is read again while deletions wait.
  private static let mostRounds = 5

  /// The token of the database's feed.
  var token: CKServerChangeToken?
  /// Whether the database's feed is read from the start.
  var isListing = false
  /// Whether there are zones other than the home zone.
  var hasShares = false
  var read: [RecordZoneIdentifier: ReadZone] = [:]
  var held: [RecordZoneIdentifier: HeldDeletions] = [:]
  var ended: [RecordZoneIdentifier: CKDatabase.DatabaseChange.Deletion.Reason] = [:]
  private var rounds = 0

  init(token: CKServerChangeToken?) { self.token = token }

  /// Whether deletions wait for zones that may have changed since.
  var awaitsOthers: Bool { !ended.isEmpty || held.values.contains { !$0.isEmpty } }

  /// Counts another round; returns false after the last one.
  mutating func round() -> Bool {
    rounds += 1
    return rounds < Self.mostRounds
  }
}

extension ImportPage {
  /// Whether the page has the share of a zone.
  var hasShare: Bool { records.contains { ($0 as? CKShare)?.isZoneWide ?? false } }
}

extension CKShare {
  var isZoneWide: Bool { recordID.recordName == CKRecordNameZoneWideShare }

  /// The share in the form of the ledger.
  var archived: [UInt8]? {
    (try? NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)).map {
      Array($0)
    }
  }

  /// Returns a share from the ledger; nil if it cannot be read.
  static func share(_ archive: [UInt8]) -> CKShare? {
    try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: Data(archive))
  }
}

extension CKError {
  /// Whether a zone does not exist, or not for this user.
  var isOfMissingZone: Bool {
    [.zoneNotFound, .userDeletedZone, .permissionFailure].contains(code) && !isZoneRecreated
      && !awaitsKeys
  }
}
