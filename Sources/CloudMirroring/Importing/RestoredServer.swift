import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// Records that a server lost because it was restored from a backup; devices send them again.
///
/// The zone is listed from the start, as after any expired token. The tags show the meaning of each
/// difference:
///
/// | the listing has | the device has | reaction |
/// |---|---|---|
/// | nothing | a lost version | the whole record is sent again |
/// | nothing | another version | it was deleted there, and is deleted here |
/// | the backup's version | a lost version | the properties that differ are sent again |
/// | a version since the restoration | a lost version | its values win if set; ours are journaled |
/// | the backup's version, once read here | nothing | the acknowledged deletion is repeated |
/// | any other version | nothing | it is new here |
struct RestoredServer: ImporterPart {
  let importer: Importer

  /// Records the losses of a restored server, before the listing begins.
  ///
  /// Saves during the listing are not included.
  func recordLoss(_ lost: LostHistory?, of zone: RecordZoneIdentifier) throws {
    guard let lost else { return }
    try ledger.setState([
      LedgerStateKey.lostHistory.of(zone, home: mirror.homeZone):
        .text(lost.closed(through: ledger.greatestTag(in: zone)).text)
    ])
  }

  /// Returns the page without the records that were deleted after the backup.
  ///
  /// They are deleted again at the end of the listing.
  func withoutDeleted(_ page: DecodedPage, in zone: RecordZoneIdentifier) throws -> ImportPage {
    let restored = try restored(page.records, in: zone)
    guard !restored.isEmpty else { return page.page }
    for received in restored {
      importer.reconciliation(of: zone).recordRestored(received.identifier, tag: received.tag ?? "")
    }
    let names = Set(restored.map(\.record.recordID))
    return page.page.replacing(
      records: page.page.records.filter { !names.contains($0.recordID) },
      deleted: page.page.deleted)
  }

  /// Returns the listed records that this device had read before the backup and no longer has.
  ///
  /// Records that the device may have ignored are not included.
  private func restored(_ records: [ReceivedRecord], in zone: RecordZoneIdentifier) throws
    -> [ReceivedRecord]
  {
    // An interrupted listing continues without a reconciliation, and then restarts. The records are
    // held back throughout.
    guard let lost = try ledger.lostHistory(of: zone),
      try !Relisting(importer: importer).isPending(zone)
    else { return [] }
    let read = records.filter { lost.wasRead(tag: $0.tag) && !$0.isForeign }
    let known = try ledger.subjects(of: read.map(\.identifier))
    let unknown = read.filter { known[$0.identifier] == nil }
    guard !unknown.isEmpty else { return [] }
    let deferred = try deferredNames(among: unknown)
    return unknown.filter { !deferred.contains($0.record.recordID) }
  }

  /// Returns the names of records without an object: unreadable and deferred ones.
  private func deferredNames(among records: [ReceivedRecord]) throws -> Set<CKRecord.ID> {
    let ends = records.filter(\.isPair).flatMap(\.targets)
    let items =
      try ledger.deferred([.pair], dependingOn: ends)
      + ledger.deferred(DeferredItem.Kind.ofRecords, ofRecords: records.map(\.identifier))
    return Set(items.compactMap { $0.record?.recordID })
  }

  /// Repeats deletions that the server acknowledged and lost.
  ///
  /// A record that was changed after the restoration stays, and its object comes back.
  ///
  /// - Returns: The number of objects that came back.
  func deleteAgain(in zone: RecordZoneIdentifier) async throws -> Int {
    let tags = importer.reconciliation(of: zone).toDeleteAgain
    let names = tags.keys.sorted()
    var changed: [CKRecord.ID] = []
    for start in stride(from: 0, to: names.count, by: MirrorLimits.recordsInRequest) {
      let batch = names[start..<min(start + MirrorLimits.recordsInRequest, names.count)]
      let results = try await mirror.database.modificationResults(
        deleting: batch.map(\.recordID),
        tags: Dictionary(uniqueKeysWithValues: batch.map { ($0.recordID, tags[$0] ?? "") }),
        atomically: false)
      for (recordID, result) in results.deleteResults {
        do { try result.get() } catch CKError.unknownItem {} catch CKError.serverRecordChanged {
          changed.append(recordID)
        }
      }
    }
    guard !changed.isEmpty else { return 0 }
    let found = try await mirror.database.records(for: changed).filter { !$0.value.isUnknown }
    return try await importer.apply(
      ImportPage(try FoundRecords(found)))
  }
}

/// The effect of a restoration on the version of a record that a device has.
enum VersionLoss {
  /// The server still has the version, or replaced it after the restoration.
  case kept
  /// The server lost the version, and lists the one of its backup.
  case restored
  /// The server lost the version, and lists one that was saved after the restoration.
  case replaced
}

extension LostHistory {
  /// The effect on the device's version of a listed record.
  func loss(of known: String?, listed: String?) -> VersionLoss {
    guard isLost(tag: known) else { return .kept }
    return isOfBackup(tag: listed) ? .restored : .replaced
  }

  /// Returns the losses, with open ranges that end at the greatest tag that the device knows.
  ///
  /// Later saves also get tags in an open range, but are not lost.
  func closed(through tag: String?) -> LostHistory {
    let greatest = tag.flatMap { UInt64($0, radix: 36) } ?? 0
    var closed = self
    for place in lost.indices where lost[place].through == nil {
      closed.lost[place].through = greatest
    }
    return closed
  }

  /// Whether the backup had the version.
  private func isOfBackup(tag: String?) -> Bool {
    guard let tag, let number = UInt64(tag, radix: 36), let first = lost.first else { return false }
    return number <= first.after
  }
}

extension ReceivedRecord {
  /// Whether the model cannot hold the record.
  fileprivate var isForeign: Bool { if case .foreign = meaning { true } else { false } }

  fileprivate var isPair: Bool { if case .pair = meaning { true } else { false } }
}
