import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel

/// Deletions of unique objects, each of which requires the last known tag of its record.
///
/// A loser's deletion waits until its winner announces the merge (`MergedDuplicate`).
extension Exporter {
  /// Returns the items that one request may contain.
  ///
  /// An atomic request may contain both winner and loser, but a public database saves each record
  /// separately. The deletion of a loser does not wait for a winner that is held back.
  func sendable(_ items: [ExportPage.Item]) throws -> [ExportPage.Item] {
    let wanted = try items.filter(isStillWanted)
    let announcements = try ledger.unannouncedWinners(
      for: wanted.map(\.entry).filter(isUniqueDeletion).map(\.record))
    guard !announcements.isEmpty else { return wanted }
    let together = mirror.scope == .public ? [] : Set(wanted.map(\.entry.record))
    return wanted.filter { item in
      announcements[item.entry.record, default: []].allSatisfy {
        together.contains($0) || rejectedEntries.error(of: $0) != nil
      }
    }
  }

  /// Returns the tags that deletions require, so that they fail for records that have absorbed
  /// duplicates since.
  func deletionTags(_ batch: [ExportPage.Item]) -> [CKRecord.ID: String] {
    batch.reduce(into: [:]) { tags, item in
      if isUniqueDeletion(item.entry) { tags[item.entry.record.recordID] = item.entry.tag }
    }
  }

  private func isUniqueDeletion(_ entry: OutboxEntry) -> Bool {
    entry.kind == .deletion && entry.subject.object.map(mirror.mustBeUnique) ?? false
  }

  /// Whether a unique record to delete has an unknown version, because a request was not answered.
  func mayHaveUnknownVersion(_ entry: OutboxEntry) -> Bool {
    entry.tag == nil && isUniqueDeletion(entry)
  }

  /// Whether a deletion is still wanted; its object may have come back after the page was read.
  private func isStillWanted(_ item: ExportPage.Item) throws -> Bool {
    guard isUniqueDeletion(item.entry), let key = item.entry.subject.object else { return true }
    return try ledger.records(of: [key])[key]?.pending == .deletion
  }
}
