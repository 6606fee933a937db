import CloudKitClient
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension Exporter {
  /// Fetches the server's versions of conflicting records that responses did not include.
  ///
  /// If a record cannot be read, for example for lack of keys, its entry is held back until the
  /// record can be read. For a deletion, the names of absorbed duplicates are enough.
  func fetchConflictingRecords(_ entries: [OutboxEntry]) async throws -> (
    records: [CKRecord], gone: [OutboxEntry]
  ) {
    let found = try await mirror.database.records(for: entries.map(\.record.recordID))
    let mergedDuplicates = try await fetchMergedDuplicates(
      entries.filter { $0.kind == .deletion }, besides: found)
    var (records, gone): ([CKRecord], [OutboxEntry]) = ([], [])
    for entry in entries {
      do {
        let recordID = entry.record.recordID
        if let record = try mergedDuplicates[recordID] ?? found[recordID]?.get() {
          records.append(record)
        }
      } catch CKError.unknownItem {
        gone.append(entry)
      } catch {
        guard let failure = MirrorError(unread: entry.record.recordID, error) else { throw error }
        rejectedEntries.note(entry, failure)
      }
    }
    return (records, gone)
  }

  /// Fetches only the absorbed duplicates of unreadable records that are to be deleted.
  ///
  /// Records that absorbed duplicates unknown here are left out.
  private func fetchMergedDuplicates(
    _ deletions: [OutboxEntry], besides found: [CKRecord.ID: Result<CKRecord, any Error>]
  ) async throws -> [CKRecord.ID: CKRecord] {
    let wanted = deletions.map(\.record.recordID).filter { (try? found[$0]?.get()) == nil }
    guard !wanted.isEmpty else { return [:] }
    let results = try await mirror.database.records(
      for: wanted, desiredKeys: [MirrorNames.entityName, MirrorNames.standsFor])
    let records = results.compactMapValues { try? $0.get() }
    let unheard = try importer.absorbingUnknownDuplicates(Array(records.values))
    return records.filter { !unheard.contains($0.key) }
  }
}
