import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

extension Exporter {
  /// Sends the outbox once, then again the entries that were merged with remote changes.
  package func exportOnce(_ limits: ExportLimits = ExportLimits()) async -> MirrorOutcome {
    var outcome = MirrorOutcome()
    var limits = limits
    limits.records = min(limits.records, sizes.recordsInRequest)
    do {
      try ledger.completeOutbox()
      if limits.sendsRefused {
        rejectedEntries.forget()
        exactValues.tryAgain()
      }
      var passes = 0
      while true {
        let pass = try await passMakingRoom(limits, &outcome)
        // Conflicts may have revealed duplicates or contested targets: the feed is read before they
        // are settled.
        var isOpen = try !importer.openMerges().isEmpty
        if !isOpen { isOpen = try await !ContestedReferences(importer: importer).ready().isEmpty }
        if isOpen { _ = try await importer.pull() }
        guard pass.isToBeRepeated || isOpen else { break }
        // A pass that held something back has made some progress.
        if !pass.hasRefused { passes += 1 }
        guard passes < MirrorLimits.conflictsInRow else {
          throw MirrorError(.conflict, "Other devices keep changing the same records.")
        }
      }
      try await importer.deleteSurplus()
      try await FormerRecords(importer: importer).delete()
    } catch {
      outcome.failure = await failure(error)
    }
    outcome.blockers = rejectedEntries.failures
    return outcome
  }

  /// A public database can be read without a user, but an export needs one.
  private func failure(_ error: any Error) async -> MirrorError {
    let failure = MirrorError(error)
    guard mirror.scope == .public, failure.kind == .signInAgain,
      (try? await mirror.container.accountStatus()) == .noAccount
    else { return failure }
    return MirrorError(.noAccount, "No user is signed in: local changes cannot be sent.")
  }

  /// Sends the outbox once.
  func sendPass(_ limits: ExportLimits, _ outcome: inout MirrorOutcome) async throws -> ExportPass {
    var pass = ExportPass()
    try await forEachExportPage(limits) { exportPage in
      if !exportPage.held.isEmpty { pass.hasRefused = true }
      for batch in exportPage.batches(limits) { pass.add(try await send(batch, &outcome)) }
    }
    return pass
  }

  /// Encodes the pending entries that are not held back, page by page.
  ///
  /// - Parameter wanted: Selects entries of a page.
  func forEachExportPage(
    _ limits: ExportLimits, of wanted: ([OutboxEntry]) -> [OutboxEntry] = { $0 },
    _ body: (ExportPage) async throws -> Void
  ) async throws {
    let filling = try ledger.filling()
    var position = rejectedEntries.start(filling)
    var isAllHeld = true
    repeat {
      try Task.checkCancellation()
      let page = try await nextPage(after: position, limits)
      position = page.next
      holdUnassigned(page.entries)
      let entries = page.entries.filter { !rejectedEntries.contains($0) }
      isAllHeld = isAllHeld && entries.isEmpty
      if isAllHeld, let end = page.end {
        rejectedEntries.noteStart(OutboxStart(position: end, filling: filling))
      }
      try await withExportPage(of: wanted(entries), body)
    } while position != nil
  }

  private func withExportPage(of entries: [OutboxEntry], _ body: (ExportPage) async throws -> Void)
    async throws
  {
    guard !entries.isEmpty else { return }
    let files = TemporaryFiles(mirror.assets)
    defer { files.removeAll() }
    var encoder = encoder
    encoder.fieldsLeftOut = exactValues.leftOut
    let crowded = crowded.all
    let exportPage = try await mirror.withContext { [mirror, encoder] context in
      try ExportEncoder(
        mirror: mirror, encoder: encoder, context: context, staging: files, crowded: crowded
      ).exportPage(of: entries)
    }
    for one in exportPage.held { rejectedEntries.note(one.entry, one.failure, since: one.cause) }
    try await body(exportPage)
  }

  /// Holds back objects of a shared database that have no zone.
  private func holdUnassigned(_ entries: [OutboxEntry]) {
    guard mirror.scope == .shared else { return }
    for entry in entries where entry.record.zone == mirror.homeZone {
      let entity = entry.subject.object.flatMap { mirror.layouts[$0.layoutIndex].entity.name } ?? ""
      rejectedEntries.note(
        entry,
        MirrorError(
          .rejectedRecord,
          "An object of \(entity) is in the store of other users' shares, but is not related to a "
            + "shared object, so it belongs to no share. Relate it to a shared object, or assign "
            + "it to the store of the private database before it is saved."))
    }
  }

  /// Returns the next page of the outbox, once the results of earlier requests are known.
  ///
  /// Unanswered entries may have reached the server, and other devices may have changed or deleted
  /// their records since. The feed shows both.
  private func nextPage(after position: OutboxPosition?, _ limits: ExportLimits) async throws
    -> OutboxPage
  {
    let page = try ledger.outbox.nextGroups(after: position, limit: limits.records)
    let unanswered = page.entries.filter {
      $0.isUnanswered && ($0.kind != .deletion || mayHaveUnknownVersion($0))
    }
    guard !unanswered.isEmpty else { return page }
    _ = try await importer.pull()
    try ledger.outbox.requeueUnanswered(unanswered)
    return try ledger.outbox.nextGroups(after: position, limit: limits.records)
  }

  /// Sends one batch, and applies its results.
  func send(_ wanted: [ExportPage.Item], _ outcome: inout MirrorOutcome) async throws -> ExportPass
  {
    let candidates = try sendable(wanted)
    guard !candidates.isEmpty else { return ExportPass(isToBeRepeated: true) }
    try noteSealing(candidates.compactMap(\.record))
    // An import during this export may have moved records to another zone.
    let sent = Set(try ledger.outbox.recordSending(candidates.map(\.entry)).map(\.record))
    let batch = candidates.filter { sent.contains($0.entry.record) }
    guard !batch.isEmpty else { return ExportPass(isToBeRepeated: true) }
    log(
      .records,
      "sends \(batch.map { "\($0.entry.kind) \($0.entry.record.recordName)" }.joined(separator: ", "))"
    )
    try await ledger.settle()
    defer { mirror.assets.remove(batch.flatMap(\.files)) }
    let asked = try ledger.moment()
    let results = await results(of: batch)
    var isFreed = false
    let making = try await importer.readers.making(of: results.taken, in: batch)
    let taken = results.taken.filter { !making.unsettled.contains($0.entry.record) }
    if !taken.isEmpty {
      // The maker is recorded at once: whether the maker of acknowledged records received them
      // cannot be determined later.
      try ledger.outbox.acknowledge(taken, by: making.maker)
      isFreed = rejectedEntries.forget(taken)
      crowded.forget(taken)
      outcome.hasMoved = true
      noteProgress()
    }
    if !results.notSaved.isEmpty { try ledger.outbox.requeueRejected(results.notSaved) }
    // Moving values that another model sent inline may make room.
    let (refused, lacking) = exactValues.leaveOut(
      for: results.isTooLarge && crowded.note(batch[0]) ? [] : results.refused)
    for field in lacking {
      log(
        .blockers,
        "The schema lacks the field \(field): exact values are not sent. Deploy the schema.")
    }
    let reverted = try await RefusedChanges(importer: importer).revert(refused)
    for (entry, failure) in refused where !reverted.contains(entry.record) {
      rejectedEntries.note(entry, failure)
    }
    let bare = results.bareConflicts
    let found = bare.isEmpty ? ([], []) : try await fetchConflictingRecords(bare)
    let (conflicts, gone) = (results.conflicts + found.0, results.gone + found.1)
    let unheard = try importer.absorbingUnknownDuplicates(conflicts)
    let heard = conflicts.filter { !unheard.contains($0.recordID) }
    if !heard.isEmpty {
      var page = ImportPage(records: heard, isConflict: true)
      page.received = try await importer.readers.telling(ofOwn: heard)
      page.asked = asked
      // If another process has recorded newer server versions, the next attempt uses them.
      do {
        try await importer.apply(page)
      } catch is AnswerOvertaken {}
    }
    if !unheard.isEmpty { _ = try await importer.pull() }
    if !gone.isEmpty { try await look(for: gone) }
    if let failure = results.failure {
      // The feed reports whether the zone never existed or was deleted, and by whom.
      if failure.kind == .zoneMissing {
        _ = try await importer.pull()
        // A share's zone is dropped, and the store continues.
        if batch[0].entry.record.zone != mirror.homeZone {
          _ = try await ZoneFeed(importer: importer).end(batch[0].entry.record.zone, .deleted)
          return ExportPass(isToBeRepeated: true)
        }
      }
      throw failure
    }
    if let error = making.error { throw error }
    return ExportPass(
      isToBeRepeated: isFreed || batch.count < wanted.count
        || (results.taken.count < batch.count && refused.count < batch.count),
      hasRefused: !refused.isEmpty)
  }

  private func results(of batch: [ExportPage.Item]) async -> SendResults {
    do {
      let deleted = batch.filter { $0.record == nil }.map(\.entry.record.recordID)
      return SendResults(
        batch,
        try await knowingDatabase(of: batch[0].entry.record.zone).modificationResults(
          saving: batch.compactMap(\.record), deleting: deleted, tags: deletionTags(batch),
          savePolicy: .ifServerRecordUnchanged, atomically: true),
        of: try mirror.presentUser)
    } catch {
      return SendResults(batch, error)
    }
  }

  /// Returns the database with this device's feed position, so that late requests resurrect no
  /// records.
  private func knowingDatabase(of zone: RecordZoneIdentifier) throws -> CKDatabase {
    let database = try mirror.database.withoutRepeating
    return try importer.zoneToken(zone).map { database.knowing($0, of: zone.zoneID) }
      ?? database
  }

  /// Handles updates of missing records: the feed reports their deletion, which wins.
  ///
  /// Records that the feed does not report are sent again. A public database has no feed, so there
  /// a missing record counts as deleted.
  private func look(for entries: [OutboxEntry]) async throws {
    _ = try await importer.pull()
    if mirror.scope == .public {
      try await importer.apply(
        ImportPage(deleted: try await gone(entries.filter { $0.tag != nil }.map(\.record)))
      )
    }
    let known = try ledger.subjects(of: entries.map(\.record))
    let left = entries.filter { entry in
      guard let record = known[entry.record] else { return false }
      return record.pending != nil && record.pending != .deletion && record.tag == entry.tag
    }
    if !left.isEmpty { try ledger.outbox.requeueMissing(left) }
  }
}

/// The result of a pass through the outbox, or of one batch.
struct ExportPass {
  /// Whether entries must be sent again at once.
  var isToBeRepeated = false
  /// Whether more entries are held back now.
  var hasRefused = false

  mutating func add(_ other: ExportPass) {
    isToBeRepeated = isToBeRepeated || other.isToBeRepeated
    hasRefused = hasRefused || other.hasRefused
  }
}
