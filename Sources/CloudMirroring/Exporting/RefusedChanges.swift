import CloudKitClient
import CloudRecords
import MirrorModel

/// Changes that the user has no permission for.
struct RefusedChanges: ImporterPart {
  let importer: Importer

  /// Reverts changes that the server rejects because the user may only read.
  ///
  /// An object gets the server's values; a new object is deleted. The lost values are journaled.
  ///
  /// - Returns: The records that were reverted.
  func revert(_ refused: [(entry: OutboxEntry, failure: MirrorError)]) async throws -> Set<
    RecordIdentifier
  > {
    guard mirror.scope == .shared else { return [] }
    let entries = refused.filter { $0.failure.kind == .permission }.map(\.entry)
    guard !entries.isEmpty else { return [] }
    let records = entries.map(\.record)
    guard plantedBugs?.revertsRejected ?? true else { return Set(records) }
    let results = try await mirror.database.records(for: records.map(\.recordID))
    let found = try FoundRecords(results.filter { !$0.value.isUnknown })
    let present = Set(found.names.map { RecordIdentifier($0) })
    var page = ImportPage(records: found.records, isConflict: true)
    page.isReverting = true
    page.returning = Set(entries.filter { $0.kind == .deletion }.map(\.record))
    if !page.isEmpty { try await importer.apply(page) }
    let missing = records.filter { !present.contains($0) }
    if !missing.isEmpty { try await importer.apply(ImportPage(deleted: missing.map(\.recordID))) }
    return Set(records.filter { found.unread[$0.recordID] == nil })
  }
}
