import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel

/// Deletions of what must be unique: they are meant for the versions that are known here, and who
/// goes for another one is not deleted before that one says for whom it stands (`Succession`).
extension MirrorEngine {
  /// Which of some items may go in one request.
  ///
  /// A request that saves all or nothing may have both, who stays and who goes; a public database
  /// takes each record by itself. Of who stays and is held back nobody knows when that goes: who
  /// goes does not wait for that one.
  func sendable(_ items: [ExportWave.Item]) throws -> [ExportWave.Item] {
    let wanted = try items.filter(isStillWanted)
    let promises = try ledger.openPromises(
      for: wanted.map(\.entry).filter(isUniqueDeletion).map(\.record))
    guard !promises.isEmpty else { return wanted }
    let together = site.scope == .public ? [] : Set(wanted.map(\.entry.record))
    return wanted.filter { item in
      promises[item.entry.record, default: []].allSatisfy {
        together.contains($0) || refusals.fault(of: $0) != nil
      }
    }
  }

  /// The versions for which deletions are meant: one that stands for somebody else by now is not to
  /// go (`Succession`).
  func deletionTags(_ batch: [ExportWave.Item]) -> [CKRecord.ID: String] {
    guard seam?.comparesDeletions ?? true else { return [:] }
    return batch.reduce(into: [:]) { tags, item in
      if isUniqueDeletion(item.entry) { tags[item.entry.record.recordID] = item.entry.tag }
    }
  }

  private func isUniqueDeletion(_ entry: OutboxEntry) -> Bool {
    entry.kind == .deletion && entry.subject.object.map(site.mustBeUnique) ?? false
  }

  /// Whether a deletion is of a record that was sent without an answer, so that nobody here knows
  /// its version.
  func mayBeUnheardOf(_ entry: OutboxEntry) -> Bool { entry.tag == nil && isUniqueDeletion(entry) }

  /// Who came back since the wave was made is not deleted.
  private func isStillWanted(_ item: ExportWave.Item) throws -> Bool {
    guard isUniqueDeletion(item.entry), let key = item.entry.subject.object else { return true }
    return try ledger.records(of: [key])[key]?.pending == .deletion
  }
}
