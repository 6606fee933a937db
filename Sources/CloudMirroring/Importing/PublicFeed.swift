import CloudKitClient
import CloudRecords
import Foundation
import MirrorLedger
import MirrorModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import Synchronization

extension LedgerStateKey {
  /// When the names of a public database's records were last compared.
  static let namesCompared = Self("namesCompared")
}

/// Polls a public database, which has no feed and no push.
///
/// It fetches the changes after the latest known one of each type, by the server's clock
/// (`PollingCursor`). Periodically it compares all names, which reveals deletions.
struct PublicFeed: ImporterPart {
  let importer: Importer
  private var readers: PublicReaders { importer.readers }
  private var reconciliation: Reconciliation { importer.reconciliation }

  /// Applies all changes.
  ///
  /// - Returns: The number of changed records.
  func poll() async throws -> Int {
    var count = 0
    for type in mirror.polledTypes { count += try await poll(type) }
    count += try await listAgain()
    count += try await importer.refetchUnread()
    let isAsked = importer.unreadable.needsNameComparison.load(ordering: .relaxed)
    if try isComparisonDue(mirror.now, isAsked: isAsked) {
      count += try await compareNames()
      try ledger.setState([.namesCompared: .real(mirror.now.timeIntervalSinceReferenceDate)])
    }
    importer.unreadable.needsNameComparison.store(false, ordering: .relaxed)
    count += try await removeGone()
    try await importer.settleMerges()
    try await ContestedReferences(importer: importer).settle()
    return count
  }

  private func poll(_ type: String) async throws -> Int {
    let count = try await fetchLateRecords(of: type)
    return try await count + listNews(of: type)
  }

  /// Applies later changes.
  ///
  /// The position advances with each page if pages are in order, otherwise at the end.
  private func listNews(of type: String) async throws -> Int {
    var place = try ledger.pollingCursor(of: type)
    let former = place
    var count = 0
    try await listChanged(type, place.news, importer.databaseOfNewFiles) { found, isInOrder in
      place.move(past: found.records.compactMap(\.modificationDate), at: self.mirror.now)
      var page = ImportPage(found)
      page.received = try readers.telling(found)
      if isInOrder { page.state = place.state(of: type) }
      count += try await importer.apply(page)
      try readers.noteReadsOwn(found, type)
      importer.progress.received(found.records.count)
      self.noteProgress()
    }
    if place != former { try ledger.setState(place.state(of: type)) }
    return count
  }

  /// Fetches records that appeared late (`PollingCursor`), after a query for names only.
  private func fetchLateRecords(of type: String) async throws -> Int {
    var place = try ledger.pollingCursor(of: type)
    guard let late = place.late else { return 0 }
    let ignored = try self.ignored()
    var count = 0
    try await forEachPage(type, late, desiredKeys: [], mirror.database) {
      count += try await self.fetchLacking($0.records, ignored)
      try readers.recordReceipts($0, type)
    }
    let former = place
    place.finishLateSearch(at: mirror.now)
    if place != former { try ledger.setState(place.state(of: type)) }
    return count
  }

  // MARK: Deletions

  /// Removes winners of merges and holders of contested targets whose deletion was not reported.
  private func removeGone() async throws -> Int {
    let names = Set(
      try ledger.merges().map(importer.winner)
        + (try await ContestedReferences(importer: importer).holders()))
    let received = try ledger.received(names.sorted(), to: mirror.presentUser)
    let known = try ledger.subjects(of: received.sorted()).values.filter {
      $0.tag != nil && $0.pending != .deletion
    }
    let gone = try await self.gone(known.map(\.identifier))
    return gone.isEmpty ? 0 : try await importer.apply(ImportPage(deleted: gone))
  }

  /// Whether a full comparison is due, or the program requested everything including deletions.
  private func isComparisonDue(_ now: Date, isAsked: Bool) throws -> Bool {
    guard let last = try ledger.date(.namesCompared) else {
      // The first listing has named all records.
      try ledger.setState([.namesCompared: .real(now.timeIntervalSinceReferenceDate)])
      return false
    }
    // A date in the future was recorded while the clock was ahead.
    return isAsked || last > now || now.timeIntervalSince(last) >= MirrorLimits.compareNamesSeconds
  }

  /// Removes objects whose records are no longer listed, and fetches missing records.
  ///
  /// A user with a new role may read earlier records, which polls do not find.
  private func compareNames() async throws -> Int {
    reconciliation.begin()
    if let user = try mirror.presentUser { try readers.forgetReadsOwn(user) }
    var count = 0
    // Read only once, because a comparison lists each record once.
    let ignored = try self.ignored()
    for type in mirror.polledTypes {
      try await forEachPage(type, NSPredicate(value: true), desiredKeys: [], mirror.database) {
        reconciliation.note(ImportPage(records: $0.records))
        // Roles apply to types: a user who can read other users' records may read the whole type.
        if $0.records.contains(where: { !$0.isOwn }) { reconciliation.markCompletelyReadable(type) }
        count += try await self.fetchLacking($0.records, ignored)
        try readers.recordReceipts($0, type)
      }
    }
    try ledger.setDeferred(
      [],
      dropping: try ledger.deferred(.ignored).filter {
        !reconciliation.hasSeen($0.record ?? mirror.nowhere)
      })
    return try await count + Reconciler(importer: importer).end(mirror.homeZone)
  }

  /// Fetches the listed records whose current version is not here.
  private func fetchLacking(_ named: [CKRecord], _ ignored: [RecordIdentifier: String])
    async throws -> Int
  {
    let unreadable = Set(try ledger.deferred(.unreadable).compactMap(\.record?.recordID))
    let lacking = try lacking(named, ignored: ignored).filter {
      !unreadable.contains($0.recordID)
    }
    guard !lacking.isEmpty else { return 0 }
    let found = try FoundRecords(
      try await mirror.database.records(for: lacking.map(\.recordID)).filter { !$0.value.isUnknown }
    )
    var page = ImportPage(found)
    page.received = try readers.telling(found)
    let count = try await importer.apply(page)
    try deferIgnored(found.records)
    return count
  }

  /// Returns the records whose current version is neither here nor ignored.
  private func lacking(_ named: [CKRecord], ignored: [RecordIdentifier: String]) throws
    -> [CKRecord]
  {
    let rows = try ledger.subjects(of: named.map { RecordIdentifier($0.recordID) })
    return named.filter { record in
      let identifier = RecordIdentifier(record.recordID)
      guard let row = rows[identifier] else {
        return ignored[identifier] != record.recordChangeTag
      }
      return row.pending == nil && row.tag != record.recordChangeTag
    }
  }

  /// Returns the tags of public records that have no object here.
  private func ignored() throws -> [RecordIdentifier: String] {
    Dictionary(
      try ledger.deferred(.ignored).map { ($0.record ?? mirror.nowhere, $0.reason ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  /// Defers fetched records without an object as ignored, so that they are not fetched each day.
  ///
  /// A larger model lists all records again.
  private func deferIgnored(_ fetched: [CKRecord]) throws {
    let rows = try ledger.subjects(of: fetched.map { RecordIdentifier($0.recordID) })
    try ledger.setDeferred(
      fetched.filter { rows[RecordIdentifier($0.recordID)] == nil }.map {
        DeferredItem(
          .ignored, .record(RecordIdentifier($0.recordID)), reason: $0.recordChangeTag)
      })
  }
}
