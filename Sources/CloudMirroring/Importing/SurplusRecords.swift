import CloudKitClient
import CloudRecords
import Foundation
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension Importer {
  /// Deletes second records of pairs after the remaining ones were sent, so that no pair is lost.
  func deleteSurplus() async throws {
    let surplus = try ledger.deletable(try ledger.deferred(.surplus))
    for start in stride(from: 0, to: surplus.count, by: MirrorLimits.recordsInRequest) {
      let batch = surplus[start..<min(start + MirrorLimits.recordsInRequest, surplus.count)]
      let recordIDs = batch.compactMap { $0.record?.recordID }
      let results = try await mirror.database.modifyRecords(
        saving: [], deleting: recordIDs, atomically: false)
      for (_, result) in results.deleteResults {
        // If the user has no permission, the owner deletes the record.
        do { try result.get() } catch CKError.unknownItem, CKError.permissionFailure { continue }
      }
    }
    try ledger.setDeferred([], dropping: surplus)
  }
}

extension MirrorImport {
  /// Defers the deletion of a pair's second record.
  ///
  /// - Parameter standing: The record that replaces it; nil if none does.
  private func deferSurplus(_ record: RecordIdentifier, for standing: RecordIdentifier?) {
    let subject = DeferredItem.Subject.record(record)
    guard !changes.deferred.contains(where: { $0.kind == .surplus && $0.subject == subject })
    else { return }
    changes.resolve([.surplus], subject)
    changes.deferred.append(DeferredItem(.surplus, subject, dependency: standing?.recordName))
  }

  /// Whether a record represents its pair; otherwise it is to be deleted.
  func stands(_ identifier: RecordIdentifier, for pair: PairKey) throws -> Bool {
    guard let present = try present(pair), present.identifier != identifier else { return true }
    if let stands = try StrayRecords(owner: self).stands(
      identifier, inPlaceOf: present.identifier, for: pair)
    {
      if !stands { changes.deferred.append(DeferredItem(.former, .record(identifier))) }
      return stands
    }
    // A device that separates a pair deletes all of its records.
    guard present.pending != .deletion, identifier < present.identifier else {
      deferSurplus(identifier, for: present.identifier)
      return false
    }
    deferSurplus(present.identifier, for: identifier)
    return true
  }

  /// Returns the record of a pair, from the ledger or from an earlier record of the page.
  ///
  /// A record that the page deletes does not count, because the pair was separated and joined
  /// again.
  private func present(_ pair: PairKey) throws -> (
    identifier: RecordIdentifier, pending: OutboxEntry.Kind?
  )? {
    if let identifier = pairRecords[pair]?.last { return (identifier, nil) }
    guard let record = try mirror.ledger.records(of: [pair])[pair] else { return nil }
    if record.pending != .deletion, gone.contains(record.identifier) { return nil }
    return (record.identifier, record.pending)
  }
}
