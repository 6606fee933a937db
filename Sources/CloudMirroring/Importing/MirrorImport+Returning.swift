import CloudKitClient
import CloudRecords
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows

/// Restores objects that were deleted here, if the server rejected the deletion or if their records
/// absorbed others.
///
/// See `MergedDuplicate`.
extension MirrorImport {
  /// Whether a deleted object returns: the page says so, or its record absorbed a new one.
  func comesBack(_ received: ReceivedRecord, _ row: LedgerRecord) -> Bool {
    guard row.pending == .deletion, let key = row.subject.object,
      case .object(let decoded) = received.meaning
    else { return false }
    if page.returning.contains(received.identifier) { return true }
    guard mirror.mustBeUnique(key), !decoded.entity.constraints.isEmpty else { return false }
    // The deletion was of this version.
    if row.isSame(received) { return false }
    return !Set(received.standsFor).isSubset(
      of: mergedDuplicates[received.identifier, default: []].map(\.loser))
  }

  /// Whether an object that was deleted here may come back, so that references to it have to wait.
  func mayComeBack(_ row: LedgerRecord) -> Bool {
    guard row.pending == .deletion, let key = row.subject.object else { return false }
    return mirror.mustBeUnique(key)
  }

  /// The unique attributes to send, because the server does not know what the record absorbed.
  func unannounced(_ received: ReceivedRecord) -> Set<String> {
    let unsent = mergedDuplicates[received.identifier, default: []].unsent
    return Set(unsent.filter { !received.standsFor.contains($0.loser) }.flatMap(\.constraint))
  }

  /// Adds the duplicates that a record absorbed to the changes.
  func addMergedDuplicates(_ received: ReceivedRecord) {
    changes.mergedDuplicates += received.standsFor.map {
      MergedDuplicate(winner: received.identifier, loser: $0, isSent: true)
    }
  }
}

extension MirrorStore {
  /// Whether an object has unique values.
  func mustBeUnique(_ key: RowKey) -> Bool {
    schema[layouts[key.layoutIndex].entity.name ?? ""]?.constraints.isEmpty == false
  }
}

extension CKRecord {
  /// The names of the records that this one absorbed.
  var absorbedRecordNames: [String] {
    let names = self[MirrorNames.standsFor] as (any CKRecordValueProtocol)? as? String
    return names?.split(separator: "\n").map(String.init) ?? []
  }
}

extension Importer {
  /// Returns the records that absorbed duplicates unknown here.
  ///
  /// Their relationships arrive only with the feed, and must exist when the record is applied.
  func absorbingUnknownDuplicates(_ records: [CKRecord]) throws -> Set<CKRecord.ID> {
    let telling = records.filter { !$0.absorbedRecordNames.isEmpty }
    guard !telling.isEmpty else { return [] }
    let known = try ledger.mergedDuplicates(of: telling.map { RecordIdentifier($0.recordID) })
    let unheard = telling.filter { record in
      let names = known[RecordIdentifier(record.recordID), default: []].map(\.loser)
      return !Set(record.absorbedRecordNames).isSubset(of: names)
    }
    return Set(unheard.map(\.recordID))
  }

  /// Restores losers whose winner was deleted before the server knew of the merge.
  ///
  /// The server still has their records.
  func bringBack() async throws {
    let gone = try ledger.merges().filter { $0.isGone && $0.absorbedUnsent }.map(\.loser)
    let names = try returning(for: gone)
    guard !names.isEmpty else { return }
    let found = try FoundRecords(
      try await mirror.database.records(for: names.map(\.recordID)).filter { !$0.value.isUnknown })
    var page = ImportPage(records: found.records, isConflict: true)
    page.returning = Set(names)
    try await apply(page)
  }

  /// Returns losers whose deletion is pending and whose merge the server does not know.
  private func returning(for names: [String]) throws -> [RecordIdentifier] {
    var (found, seen, next) = (Set<RecordIdentifier>(), Set<RecordIdentifier>(), names)
    while !next.isEmpty {
      let records = try next.map(ledger.sharedZones.record(named:)).filter {
        seen.insert($0).inserted
      }
      let loser = try ledger.mergedDuplicates(of: records).values.flatMap(\.unsent).map(\.loser)
      let identifiers = try loser.map(ledger.sharedZones.record(named:))
      let waiting = try ledger.subjects(of: identifiers).filter { $0.value.pending == .deletion }
      found.formUnion(waiting.keys)
      next = identifiers.filter { waiting[$0] == nil }.map(\.recordName)
    }
    return found.sorted()
  }
}
