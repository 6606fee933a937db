import CloudKitClient
import CloudRecords
import Foundation
import SQLiteDriver

/// Records of pairs beyond the one that stands for each: two devices that join the same objects make two.
///
/// The one with the smaller name stays, on every device; the others are deleted by whoever sees two. So nobody has to know more than one, and a
/// pair is there exactly as long as its record is.
extension LedgerStateKey {
  /// The names of records to delete, one a line.
  static let surplus = Self("surplus")
}

extension Ledger {
  /// The names of records to delete.
  func surplus() throws -> [String] { try read { try $0.surplus() } }

  /// Forgets those that are deleted, and none that another process has noted meanwhile.
  func settle(surplus names: [String]) throws {
    let settled = Set(names)
    try write { connection in try connection.setSurplus(try connection.surplus().filter { !settled.contains($0) }) }
  }
}

extension Connection {
  fileprivate func surplus() throws -> [String] {
    guard case .text(let text)? = try state(.surplus) else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  fileprivate func setSurplus(_ names: [String]) throws {
    try setState(.surplus, to: names.isEmpty ? .null : .text(names.joined(separator: "\n")))
  }

  /// Notes names of records that are to be deleted besides.
  func addSurplus(_ names: [String]) throws {
    let known = try surplus()
    try setSurplus(known + names.filter { !known.contains($0) })
  }
}

extension MirrorEngine {
  /// Deletes the records of pairs that are there twice.
  func deleteSurplus() async throws {
    let names = try ledger.surplus()
    for start in stride(from: 0, to: names.count, by: MirrorLimits.recordsInRequest) {
      let recordIDs = names[start..<min(start + MirrorLimits.recordsInRequest, names.count)].map {
        RecordIdentifier(recordName: $0, zone: site.homeZone).recordID
      }
      let results = try await site.database.modifyRecords(saving: [], deleting: recordIDs, atomically: false)
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
  private func noteSurplus(_ name: String) {
    if !changes.surplus.contains(name) { changes.surplus.append(name) }
  }

  /// Whether a record is the one that stands for its pair; the other one is to be deleted.
  func stands(_ identifier: RecordIdentifier, for pair: PairKey) throws -> Bool {
    guard let present = try present(pair), present.identifier != identifier else { return true }
    // Who takes a pair apart means all of its records.
    if seam?.deletesBothOfPair == true {
      [identifier, present.identifier].forEach { noteSurplus($0.recordName) }
    }
    guard present.pending != .deletion, identifier < present.identifier else {
      noteSurplus(identifier.recordName)
      return false
    }
    noteSurplus(present.identifier.recordName)
    return true
  }

  /// What is known of a pair, by the ledger or by an earlier record of the page.
  ///
  /// A record that the page says is gone stands for nothing: the pair was taken apart, and put together again.
  private func present(_ pair: PairKey) throws -> (identifier: RecordIdentifier, pending: OutboxEntry.Kind?)? {
    if let record = changes.records.last(where: { $0.subject == .pair(pair) }) { return (record.identifier, nil) }
    guard let record = try site.ledger.records(of: [pair])[pair] else { return nil }
    if record.pending != .deletion, gone.contains(record.identifier) { return nil }
    return (record.identifier, record.pending)
  }
}
