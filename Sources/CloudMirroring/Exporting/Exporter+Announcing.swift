import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel

/// Deletions of unique objects go by the known tag, and a loser is not deleted before its winner
/// says that it absorbed it (`MergedDuplicate`).
extension Exporter {
  /// The items that may go in one request.
  ///
  /// An atomic request may have both winner and loser; a public database saves each record by
  /// itself. A loser does not wait for a winner that is held back.
  func sendable(_ items: [ExportPage.Item]) throws -> [ExportPage.Item] {
    let wanted = try items.filter(isStillWanted)
    let announcements = try ledger.unannouncedWinners(
      for: wanted.map(\.entry).filter(isUniqueDeletion).map(\.record))
    guard !announcements.isEmpty else { return wanted }
    let together = site.scope == .public ? [] : Set(wanted.map(\.entry.record))
    return wanted.filter { item in
      announcements[item.entry.record, default: []].allSatisfy {
        together.contains($0) || rejectedEntries.fault(of: $0) != nil
      }
    }
  }

  /// The tags that deletions require: a record that absorbed another one since must not be deleted.
  func deletionTags(_ batch: [ExportPage.Item]) -> [CKRecord.ID: String] {
    guard seam?.comparesDeletions ?? true else { return [:] }
    return batch.reduce(into: [:]) { tags, item in
      if isUniqueDeletion(item.entry) { tags[item.entry.record.recordID] = item.entry.tag }
    }
  }

  private func isUniqueDeletion(_ entry: OutboxEntry) -> Bool {
    entry.kind == .deletion && entry.subject.object.map(site.mustBeUnique) ?? false
  }

  /// Whether a deletion is of a record whose version is unknown, since its request was not
  /// answered.
  func mayBeUnheardOf(_ entry: OutboxEntry) -> Bool { entry.tag == nil && isUniqueDeletion(entry) }

  /// An object that came back since the records were made is not deleted.
  private func isStillWanted(_ item: ExportPage.Item) throws -> Bool {
    guard isUniqueDeletion(item.entry), let key = item.entry.subject.object else { return true }
    return try ledger.records(of: [key])[key]?.pending == .deletion
  }
}
