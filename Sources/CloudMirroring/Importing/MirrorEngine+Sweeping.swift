import CloudKitClient
package import CloudRecords
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// The names that a listing from the beginning has told, while objects that it does not name may be
/// gone.
///
/// A token that has expired leaves open what was deleted since: what the whole listing does not
/// name is not there any more.
package final class Sweep: Sendable {
  private let zone: RecordZoneIdentifier
  /// Names alone, most of which are 16 bytes: there may be a million of them.
  private let seen = Mutex<Set<RecordName>?>(nil)
  /// The types of a public database of which whoever asks may read all.
  private let open = Mutex<Set<String>>([])
  /// Whether the listing is to begin anew, whatever place is noted: until its first part is saved.
  private let isToBegin = Mutex(false)
  /// The records that a restoration brought back after their deletion was acknowledged, with their
  /// tags.
  private let restored = Mutex<[RecordIdentifier: String]>([:])

  package init(of zone: RecordZoneIdentifier) { self.zone = zone }

  var isOn: Bool { seen.withLock { $0 != nil } }
  var startsOver: Bool { isToBegin.withLock(\.self) }

  /// Starts a full listing.
  ///
  /// - Parameter startsOver: Whether the place that is noted is kept until the listing has one of
  ///   its own.
  package func begin(startsOver: Bool = false) {
    seen.withLock { $0 = [] }
    open.withLock { $0 = [] }
    restored.withLock { $0 = [:] }
    isToBegin.withLock { $0 = startsOver }
  }

  package func end() {
    seen.withLock { $0 = nil }
    isToBegin.withLock { $0 = false }
  }

  /// The listing of a zone begins: what a former one has told, of which nothing was saved, may be
  /// gone since.
  func restart(in zone: RecordZoneIdentifier) {
    guard zone == self.zone else { return }
    seen.withLock { if $0 != nil { $0 = [] } }
    restored.withLock { $0 = [:] }
  }

  /// The listing has a place of its own.
  func hasBegun() { isToBegin.withLock { $0 = false } }

  package func note(_ page: ImportPage) {
    seen.withLock { seen in
      guard seen != nil else { return }
      for recordID in page.records.map(\.recordID) + page.sealed + page.unreadable.keys
      where RecordIdentifier(recordID).zone == zone {
        seen?.insert(RecordName(recordID.recordName))
      }
    }
  }

  /// The records to delete again, with the tags that the listing gave.
  var toDeleteAgain: [RecordIdentifier: String] { restored.withLock(\.self) }

  func recordRestored(_ record: RecordIdentifier, tag: String) {
    restored.withLock { $0[record] = tag }
  }

  func noteOpen(_ type: String) { open.withLock { _ = $0.insert(type) } }

  func isOpen(_ type: String) -> Bool { open.withLock { $0.contains(type) } }

  package func hasSeen(_ record: RecordIdentifier) -> Bool {
    seen.withLock { seen in
      guard let seen else { return true }
      return record.zone == zone && seen.contains(RecordName(record.recordName))
    }
  }
}

extension LedgerStateKey {
  /// Whether everything is being fetched from the beginning, and what is not named then is gone.
  static let sweep = Self("sweep")
}

extension MirrorEngine {
  /// Forgets feed positions: everything is listed again and reconciled.
  func forgetTokens() throws {
    sweep.end()
    var state: [LedgerStateKey: Value] = [.databaseToken: .null, .sweep: .integer(1)]
    // A restored server tells what it lost for a token from before the restoration only.
    if try lostHistory == nil, let former = try zoneToken(site.homeZone) {
      state[.formerToken] = .text(former.text)
    }
    // Who ends in between must not take a zone that was made anew for one that has lost records.
    try ledger.setZoneToken(nil, of: site.homeZone, setting: state)
  }

  /// Restarts a full listing that an earlier process did not finish.
  ///
  /// The feed is read first: only it reports deletions. Its position is kept until the listing has
  /// one.
  func beginSweepAgain() async throws -> Int {
    guard !sweep.isOn, case .integer(1)? = try ledger.state(.sweep) else { return 0 }
    let count = try zoneToken(site.homeZone) == nil ? 0 : try await pull(site.homeZone)
    try ledger.setState([.databaseToken: .null])
    sweep.begin(startsOver: true)
    return count
  }

  /// Starts a reconciliation if records of the zone are known: those that it does not list are
  /// gone.
  func beginSweepIfNeeded(_ zone: RecordZoneIdentifier) throws {
    // A device that has deleted everything may have to delete it again on a restored server.
    guard !sweep.isOn, try lostHistory != nil || ledger.knowsRecords(in: zone) else { return }
    try ledger.setState([.sweep: .integer(1)])
    sweep.begin()
  }

  /// Removes what a listing from the beginning did not name.
  ///
  /// What waits to be sent of it is kept, and is sent anew: nobody knows when it was deleted.
  ///
  /// - Parameters:
  ///   - isAgreed: Whether the program agreed that most of the store goes.
  ///   - asked: When the end of the listing was asked for: what another process has sent since, it
  ///     does not name.
  func endSweep(
    _ zone: RecordZoneIdentifier, isAgreed: Bool = false, asked: LedgerMoment? = nil
  ) async throws -> Int {
    guard sweep.isOn else { return 0 }
    if !isAgreed {
      try await checkIsSame(zone)
      try await checkExtent(of: zone)
    }
    var count = 0
    try await forEachPage(of: zone) { rows in
      try requeueLost(of: rows)
      let missing = try missing(of: rows).sorted()
      guard !missing.isEmpty else { return }
      var page = ImportPage(deleted: missing.map(\.recordID))
      page.isGoneBesides = { [self] in isGone($0) }
      page.asked = asked
      count += try await takeIn(page)
    }
    count += try await removeMissingPairs(of: zone, asked)
    count += try await deleteRestored()
    sweep.end()
    try ledger.setState([.sweep: .null, .formerToken: .null, .lostHistory: .null])
    return count
  }

  /// Takes apart the pairs whose records the listing did not name.
  private func removeMissingPairs(of zone: RecordZoneIdentifier, _ asked: LedgerMoment?)
    async throws -> Int
  {
    var count = 0
    var position: PairPosition?
    while true {
      let page = try ledger.pairs(in: zone, after: position, limit: MirrorLimits.recordsInPage)
      guard let last = page.last else { return count }
      position = last
      try requeueLost(of: page.rows)
      let missing = try missing(of: page.rows).sorted()
      guard !missing.isEmpty else { continue }
      var told = ImportPage(deleted: missing.map(\.recordID))
      told.asked = asked
      count += try await takeIn(told)
    }
  }

  /// Which of some records were in the cloud, and the listing did not name them although whoever
  /// asks was told them before.
  ///
  /// Records that a restored server has lost are not among them.
  private func missing(of rows: [LedgerRecord]) throws -> [RecordIdentifier] {
    let lost = try lostHistory
    return try toldBefore(unnamed(rows).filter { lost?.isLost(tag: $0.tag) != true })
  }

  private func unnamed(_ rows: [LedgerRecord]) -> [LedgerRecord] {
    rows.filter { $0.tag != nil && $0.pending == nil && !sweep.hasSeen($0.identifier) }
  }

  /// Requeues those of some records that the listing did not name because a restored server has
  /// lost them.
  private func requeueLost(of rows: [LedgerRecord]) throws {
    guard let lost = try lostHistory else { return }
    try ledger.requeueLost(unnamed(rows).filter { lost.isLost(tag: $0.tag) })
  }

  /// Which of some records whoever asks was told before, or would be told now if they were there.
  private func toldBefore(_ rows: [LedgerRecord]) throws -> [RecordIdentifier] {
    let records = rows.map(\.identifier)
    guard site.scope == .public, seam?.heedsReaders ?? true, !records.isEmpty else {
      return records
    }
    let told = try ledger.told(records, to: site.presentUser)
    return try rows.filter { try told.contains($0.identifier) || isOpen($0) || isShownOwn($0) }.map(
      \.identifier)
  }

  private func isOpen(_ row: LedgerRecord) -> Bool {
    guard let key = row.subject.object else { return sweep.isOpen(MirrorNames.joinType) }
    let entity = site.schema[site.layouts[key.layoutIndex].entity.name ?? ""]
    return entity?.recordTypes.allSatisfy(sweep.isOpen) ?? false
  }

  /// Whether a record is known to be gone that the listing did not name; what cannot be looked up
  /// is not.
  private func isGone(_ record: RecordIdentifier) -> Bool {
    !sweep.hasSeen(record)
      && (try? toldBefore(Array(ledger.subjects(of: [record]).values)))?.isEmpty == false
  }

  /// Stops where most of the store would go: a zone that was made anew, and is being filled by
  /// another device, looks like one that was emptied.
  private func checkExtent(of zone: RecordZoneIdentifier) async throws {
    var (known, missing) = (0, 0)
    try await forEachPage(of: zone) { rows in
      known += try toldBefore(rows).count
      missing += try self.missing(of: rows).count
    }
    guard missing > MirrorLimits.sweptUnasked, 2 * missing > known else { return }
    sweep.end()
    throw MirrorFault(
      .zoneDeletedByUser,
      "The cloud does not have \(missing) of this store's \(known) objects any more: its zone "
        + "was emptied or made anew."
    )
  }

  /// What the ledger knows of a zone's objects, some at a time.
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
