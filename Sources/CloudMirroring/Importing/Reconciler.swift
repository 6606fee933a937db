import CloudKitClient
import CloudRecords
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

extension LedgerStateKey {
  /// Whether a full listing is running, after which records that it did not name are gone.
  static let reconciliation = Self("reconciliation")
}

/// Lists zones from the start, and removes records that the listing did not name.
///
///     expired token ──▶ `begin` ──parts of the feed──▶ `end`: removes, sends again, deletes again
///
/// `RestoredServer` handles the losses of a server that was restored from a backup.
struct Reconciler: ImporterPart {
  let importer: Importer
  /// Whether the program agreed to remove most of the store, except objects with unsent changes.
  var isAgreed = false
  private var readers: PublicReaders { importer.readers }

  private func reconciliation(of zone: RecordZoneIdentifier) -> Reconciliation {
    importer.reconciliation(of: zone)
  }

  /// Drops feed tokens, so that everything is listed again and reconciled.
  func forgetTokens() throws {
    for zone in try [mirror.homeZone] + ledger.sharedZones.identifiers() {
      reconciliation(of: zone).end()
      var state: [LedgerStateKey: Value] = [
        .databaseToken: .null, key(.reconciliation, zone): .integer(1),
      ]
      // A restored server reports its losses only for a token from before the restoration.
      if try ledger.lostHistory(of: zone) == nil, let former = try importer.zoneToken(zone) {
        state[key(.formerToken, zone)] = .text(former.text)
      }
      // In one transaction, so that after a crash a new zone does not look like one that lost
      // records.
      try ledger.setZoneToken(nil, of: zone, setting: state)
    }
  }

  private func key(_ key: LedgerStateKey, _ zone: RecordZoneIdentifier) -> LedgerStateKey {
    key.of(zone, home: mirror.homeZone)
  }

  /// Restarts a full listing that an earlier process did not finish.
  ///
  /// The feed is read first, because only it reports deletions. Its token is kept until the listing
  /// has one.
  func restart() async throws -> Int {
    guard !importer.reconciliation.isOn, case .integer(1)? = try ledger.state(.reconciliation)
    else { return 0 }
    let count =
      try importer.zoneToken(mirror.homeZone) == nil ? 0 : try await importer.pull(mirror.homeZone)
    try ledger.setState([.databaseToken: .null])
    importer.reconciliation.begin(startsOver: true)
    return count
  }

  /// Starts a reconciliation if records of the zone are known: those that the listing lacks are
  /// gone.
  func begin(_ zone: RecordZoneIdentifier) throws {
    let reconciliation = reconciliation(of: zone)
    // A device that has deleted everything may have to delete it again on a restored server.
    guard !reconciliation.isOn,
      try ledger.lostHistory(of: zone) != nil || ledger.hasKnownRecords(in: zone)
    else { return }
    try ledger.setState([key(.reconciliation, zone): .integer(1)])
    reconciliation.begin()
  }

  /// Removes objects that a full listing did not name.
  ///
  /// A deletion wins over an unsent edit, and the journal keeps the edit.
  ///
  /// - Parameter asked: When the end of the listing was requested.
  func end(_ zone: RecordZoneIdentifier, asked: LedgerMoment? = nil) async throws -> Int {
    let reconciliation = reconciliation(of: zone)
    guard reconciliation.isOn else { return 0 }
    if !isAgreed {
      try await importer.checkIsSame(zone)
      // The owner of a share decides about its objects.
      if zone == mirror.homeZone { try await checkExtent(of: zone) }
    }
    var count = 0
    try await forEachPage(of: zone) { rows in
      count += try await removeMissing(of: rows, asked, isObjects: true)
    }
    var position: PairPosition?
    while true {
      let page = try ledger.pairs(in: zone, after: position, limit: MirrorLimits.recordsInPage)
      guard let last = page.last else { break }
      position = last
      count += try await removeMissing(of: page.rows, asked, isObjects: false)
    }
    count += try await RestoredServer(importer: importer).deleteAgain(in: zone)
    reconciliation.end()
    try ledger.setState(
      Dictionary(
        uniqueKeysWithValues: [LedgerStateKey.reconciliation, .formerToken, .lostHistory].map {
          (key($0, zone), .null)
        }))
    return count
  }

  /// Requeues records that a restored server lost, and removes the others that are missing.
  private func removeMissing(
    of rows: [LedgerRecord], _ asked: LedgerMoment?, isObjects: Bool
  ) async throws -> Int {
    try requeueLost(of: rows)
    let missing = try missing(of: rows).sorted()
    guard !missing.isEmpty else { return 0 }
    var page = ImportPage(deleted: missing.map(\.recordID))
    if isObjects { page.isGoneOutsidePage = { [self] in isGone($0) } }
    page.asked = asked
    return try await importer.apply(page)
  }

  /// Returns the known records that the listing did not name, though the user received them before.
  ///
  /// Records that a restored server has lost are not among them.
  private func missing(of rows: [LedgerRecord]) throws -> [RecordIdentifier] {
    let lost = try rows.first.flatMap { try ledger.lostHistory(of: $0.identifier.zone) }
    return try receivedBefore(unnamed(rows).filter { lost?.isLost(tag: $0.tag) != true })
  }

  private func unnamed(_ rows: [LedgerRecord]) -> [LedgerRecord] {
    rows.filter {
      $0.tag != nil && ($0.pending == nil || ($0.pending == .update && !isAgreed))
        && !reconciliation(of: $0.identifier.zone).hasSeen($0.identifier)
    }
  }

  /// Requeues records that a restored server has lost.
  private func requeueLost(of rows: [LedgerRecord]) throws {
    guard let zone = rows.first?.identifier.zone, let lost = try ledger.lostHistory(of: zone)
    else { return }
    try ledger.outbox.requeueLost(unnamed(rows).filter { lost.isLost(tag: $0.tag) })
  }

  /// Returns the records that the user received before, or would receive now if they existed.
  private func receivedBefore(_ rows: [LedgerRecord]) throws -> [RecordIdentifier] {
    let records = rows.map(\.identifier)
    guard mirror.scope == .public, !records.isEmpty else {
      return records
    }
    let received = try ledger.received(records, to: mirror.presentUser)
    return try rows.filter {
      try received.contains($0.identifier) || isOpen($0) || readers.isShownOwn($0)
    }
    .map(\.identifier)
  }

  private func isOpen(_ row: LedgerRecord) -> Bool {
    guard let key = row.subject.object else {
      return importer.reconciliation.isOpen(MirrorNames.joinType)
    }
    let entity = mirror.schema[mirror.layouts[key.layoutIndex].entity.name ?? ""]
    return entity?.recordTypes.allSatisfy(importer.reconciliation.isOpen) ?? false
  }

  /// Whether the listing proves that a record is gone.
  private func isGone(_ record: RecordIdentifier) -> Bool {
    !reconciliation(of: record.zone).hasSeen(record)
      && (try? receivedBefore(Array(ledger.subjects(of: [record]).values)))?.isEmpty == false
  }

  /// Throws if most of the store would be removed: a zone that a device is filling looks empty.
  private func checkExtent(of zone: RecordZoneIdentifier) async throws {
    var (known, missing) = (0, 0)
    try await forEachPage(of: zone) { rows in
      known += try receivedBefore(rows).count
      missing += try self.missing(of: rows).count
    }
    guard missing > MirrorLimits.removedWithoutDecision, 2 * missing > known else { return }
    importer.reconciliation.end()
    throw MirrorError(
      .zoneDeletedByUser,
      "The cloud no longer has \(missing) of this store's \(known) objects: its zone was "
        + "emptied or created again."
    )
  }

  /// Passes the ledger's rows of a zone's objects to a block, page by page.
  private func forEachPage(
    of zone: RecordZoneIdentifier, _ body: ([LedgerRecord]) async throws -> Void
  ) async throws {
    var position: RowKey?
    while true {
      let keys = try ledger.objects(in: zone, after: position, limit: MirrorLimits.recordsInPage)
      guard let last = keys.last else { return }
      position = last
      try await body(Array(try ledger.records(of: keys).values))
    }
  }
}
