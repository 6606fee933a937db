import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import SQLiteDriver

extension MirrorEngine {
  /// Takes over everything that changed in the cloud since the last import.
  package func importOnce() async -> MirrorOutcome {
    do {
      let count = try await pull()
      try ledger.setState([.lastImport: .real(site.now.timeIntervalSinceReferenceDate)])
      progress.finishImport()
      return MirrorOutcome(hasMoved: count > 0)
    } catch {
      return MirrorOutcome(fault: MirrorFault(error))
    }
  }

  /// Fetches and takes over; gives how many records were changed here.
  func pull() async throws -> Int {
    if site.scope == .public { return try await poll() }
    try await settleDepartures()
    try beginSweepAgain()
    var count = 0
    var token = try ledger.token(.databaseToken)
    var isLooked = token != nil
    var isMore = true
    while isMore {
      try Task.checkCancellation()
      let page = try await databasePage(since: &token)
      if token == nil { isLooked = false }
      try await checkIsThere(page.deletions)
      for zone in page.modifications.map({ RecordZoneIdentifier($0.zoneID) }) where zone == site.homeZone {
        count += try await pull(zone)
        isLooked = true
      }
      token = page.changeToken
      isMore = page.moreComing
      try ledger.setState([.databaseToken: .text(page.changeToken.text)])
    }
    // A listing from the beginning leaves out what was deleted, the zone itself for one: the zone's own feed tells of that. And its
    // place is noted before anything is sent that others may delete.
    if site.scope == .private, try !isLooked || zoneToken(site.homeZone) == nil {
      count += try await pull(site.homeZone)
    }
    return count
  }

  /// A page of the database's feed.
  ///
  /// A place that the server does not know any more is forgotten, and the listing begins anew; the places in the zones still count, and their
  /// own feeds tell where they do not.
  private func databasePage(
    since token: inout CKServerChangeToken?
  ) async throws -> (
    modifications: [CKDatabase.DatabaseChange.Modification], deletions: [CKDatabase.DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    do {
      return try await site.database.databaseChanges(since: token)
    } catch CKError.changeTokenExpired where token != nil {
      token = nil
      return try await site.database.databaseChanges(since: nil)
    }
  }

  /// Stops where the zone that the store is a replica of is gone.
  ///
  /// A zone that the store has never seen may have been there before, and is none of its business. The feed of the database does not
  /// say who deleted a zone: that of the zone itself does.
  private func checkIsThere(_ deletions: [CKDatabase.DatabaseChange.Deletion]) async throws {
    guard let deletion = deletions.first(where: { RecordZoneIdentifier($0.zoneID) == site.homeZone }),
      try zoneToken(site.homeZone) != nil
    else { return }
    switch deletion.reason {
    case .deleted: _ = try await pull(site.homeZone)
    case .purged: throw MirrorFault(.zoneDeletedByUser, "The user deleted the program's data in the cloud.")
    case .encryptedDataReset: throw MirrorFault(.encryptedDataReset, "The user reset the keys of encrypted values.")
    }
  }

  // MARK: A zone

  /// Takes over what changed in a zone, some pages in a save.
  private func pull(_ zone: RecordZoneIdentifier) async throws -> Int {
    var count = 0
    var token = try zoneToken(zone)
    if token == nil { try beginSweepIfNeeded(zone) }
    var gathered = ImportPage()
    var pages = 0
    var isMore = true
    while isMore {
      try Task.checkCancellation()
      let page = try await site.database.recordZoneChanges(
        inZoneWith: zone.zoneID, since: token, resultsLimit: MirrorLimits.recordsInPage)
      gathered.add(try Self.records(page.modificationResultsByID), deleted: page.deletions.map(\.recordID))
      gathered.zoneTokens[zone] = page.changeToken.bytes
      (token, isMore) = (page.changeToken, page.moreComing)
      pages += 1
      guard !isMore || pages == MirrorLimits.pagesInSave else { continue }
      sweep.note(gathered)
      for part in parts(of: gathered) { count += try await takeIn(part) }
      progress.received(gathered.records.count + gathered.deleted.count)
      noteProgress()
      (gathered, pages) = (ImportPage(), 0)
    }
    return try await count + endSweep(zone)
  }

  /// Up to where a zone's changes were taken over; nil for one that was never seen.
  func zoneToken(_ zone: RecordZoneIdentifier) throws -> CKServerChangeToken? {
    guard case .some(.some(let bytes)) = try ledger.zones()[zone] else { return nil }
    return CKServerChangeToken(bytes: bytes)
  }

  /// The records of a page, in the order of their names.
  private static func records(
    _ results: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>]
  ) throws -> [CKRecord] {
    try results.sorted { $0.key.recordName < $1.key.recordName }.map { try $0.value.get().record }
  }

  // MARK: Taking over

  /// Takes over a page in one save, and begins again where somebody else saves the same objects meanwhile.
  @discardableResult
  func takeIn(_ told: ImportPage) async throws -> Int {
    let page = try withoutEchoes(told)
    if page.isEmpty {
      var changes = LedgerChanges()
      (changes.zoneTokens, changes.state) = (page.zoneTokens, page.state)
      try ledger.apply(changes)
      return 0
    }
    var departures: [Departure] = []
    var attempts = 0
    while true {
      attempts += 1
      do {
        let count = try await takeIn(page, departures)
        if !departures.isEmpty { try await settleDepartures() }
        return count
      } catch let collision as UniquenessCollision where attempts < MirrorLimits.importAttempts {
        departures = collision.departures
      } catch is LedgerOutdated where attempts < MirrorLimits.importAttempts {
        continue
      } catch let error as NSError where error.isSaveConflict && attempts < MirrorLimits.importAttempts {
        continue
      }
    }
  }

  /// The page without the records that are here as they are: those that this device has just sent, and those that are told once more.
  ///
  /// Their objects are not looked at. What is known of an order may depend on records that have not changed, so that models with orders look at all.
  private func withoutEchoes(_ page: ImportPage) throws -> ImportPage {
    guard !page.isConflict, !page.records.isEmpty, !site.schema.hasOrders else { return page }
    let known = try ledger.subjects(of: page.records.map { RecordIdentifier($0.recordID) })
    let news = page.records.filter { record in
      guard let row = known[RecordIdentifier(record.recordID)], row.subject.object != nil, let tag = row.tag else {
        return true
      }
      return tag != record.recordChangeTag
    }
    return news.count == page.records.count ? page : page.saying(news, deleted: page.deleted)
  }

  /// One attempt.
  private func takeIn(_ page: ImportPage, _ departures: [Departure]) async throws -> Int {
    let hook = hook
    return try await site.withContext(author: MirrorNames.importAuthor) { [site] context in
      try MirrorImport(site: site, context: context, page: page, hook: hook, departures: departures).run()
    }
  }
}

extension NSError {
  /// Whether a save met rows that somebody else had changed.
  fileprivate var isSaveConflict: Bool { domain == NSCocoaErrorDomain && code == NSManagedObjectMergeError }
}

extension CKServerChangeToken {
  /// The token as the ledger keeps it.
  var bytes: [UInt8] { Array(text.utf8) }

  convenience init(bytes: [UInt8]) { self.init(String(decoding: bytes, as: UTF8.self)) }
}

extension Ledger {
  /// A token among the state.
  func token(_ key: LedgerStateKey) throws -> CKServerChangeToken? {
    guard case .text(let text)? = try state(key) else { return nil }
    return CKServerChangeToken(text)
  }
}
