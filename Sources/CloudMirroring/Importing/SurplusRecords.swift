import CloudKitClient
import CloudRecords
import Foundation
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension MirrorEngine {
  /// Deletes the records of pairs that are there twice.
  ///
  /// Behind everything else that is sent: without the record that stands for it, others would lose
  /// the pair.
  func deleteSurplus() async throws {
    let surplus = try ledger.surplus()
    guard !surplus.isEmpty else { return }
    let names = try ledger.dispensable(surplus, in: site.homeZone)
    for start in stride(from: 0, to: names.count, by: MirrorLimits.recordsInRequest) {
      let recordIDs = names[start..<min(start + MirrorLimits.recordsInRequest, names.count)].map {
        RecordIdentifier(recordName: $0, zone: site.homeZone).recordID
      }
      let results = try await site.database.modifyRecords(
        saving: [], deleting: recordIDs, atomically: false)
      for (_, result) in results.deleteResults {
        // Who may not delete the other record leaves that to its owner.
        do { try result.get() } catch CKError.unknownItem, CKError.permissionFailure { continue }
      }
    }
    if !names.isEmpty { try ledger.settle(surplus: names) }
  }
}

extension MirrorImport {
  /// Notes a record that is to be deleted.
  ///
  /// - Parameter standing: The one that stands for its pair; nil where none does.
  private func noteSurplus(_ record: RecordIdentifier, for standing: RecordIdentifier?) {
    guard !changes.surplus.contains(where: { $0.name == record.recordName }) else { return }
    changes.surplus.append(SurplusRecord(name: record.recordName, standing: standing?.recordName))
  }

  /// Whether a record is the one that stands for its pair; the other one is to be deleted.
  func stands(_ identifier: RecordIdentifier, for pair: PairKey) throws -> Bool {
    guard let present = try present(pair), present.identifier != identifier else { return true }
    // Who takes a pair apart means all of its records.
    if seam?.deletesBothOfPair == true {
      [identifier, present.identifier].forEach { noteSurplus($0, for: nil) }
    }
    guard present.pending != .deletion, identifier < present.identifier else {
      noteSurplus(identifier, for: present.identifier)
      return false
    }
    noteSurplus(present.identifier, for: identifier)
    return true
  }

  /// What is known of a pair, by the ledger or by an earlier record of the page.
  ///
  /// A record that the page says is gone stands for nothing: the pair was taken apart, and put
  /// together again.
  private func present(_ pair: PairKey) throws -> (
    identifier: RecordIdentifier, pending: OutboxEntry.Kind?
  )? {
    if let record = changes.records.last(where: { $0.subject == .pair(pair) }) {
      return (record.identifier, nil)
    }
    guard let record = try site.ledger.records(of: [pair])[pair] else { return nil }
    if record.pending != .deletion, gone.contains(record.identifier) { return nil }
    return (record.identifier, record.pending)
  }
}
