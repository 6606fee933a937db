import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

/// The records that moved objects have left.
struct FormerRecords: ImporterPart {
  let importer: Importer

  /// Deletes the former records of moved objects, after the server has the new ones.
  ///
  /// A record that has changed since is kept until the change was read and applied to the new
  /// record.
  func delete() async throws {
    var (last, hadAny, isChanged): (DeferredItem?, Bool, Bool) = (nil, false, false)
    repeat {
      let page = try ledger.sharedZones.formers(
        after: last, limit: MirrorLimits.formersInPage)
      last = page.last
      guard !page.left.isEmpty || !page.returned.isEmpty else { continue }
      hadAny = true
      var done = page.returned
      let byZone = Dictionary(grouping: page.left) { $0.zone ?? mirror.homeZone }
      for (_, items) in byZone.sorted(by: { $0.key < $1.key }) {
        for start in stride(from: 0, to: items.count, by: MirrorLimits.recordsInRequest) {
          let batch = items[start..<min(start + MirrorLimits.recordsInRequest, items.count)]
          isChanged = try await delete(batch, &done) || isChanged
        }
      }
      try ledger.setDeferred([], dropping: done)
    } while last != nil
    if isChanged { _ = try await importer.pull() }
    if try hadAny || ledger.hasState(.zoneEnds) { try await deleteEmptyZones() }
  }

  /// Deletes former records of one zone, and returns whether one of them has changed since.
  private func delete(_ batch: ArraySlice<DeferredItem>, _ done: inout [DeferredItem]) async throws
    -> Bool
  {
    let tags = Dictionary(
      batch.compactMap { item in
        item.record.flatMap { record in item.reason.map { (record.recordID, $0) } }
      }, uniquingKeysWith: { first, _ in first })
    var isChanged = false
    do {
      let results = try await mirror.database.modificationResults(
        deleting: batch.compactMap { $0.record?.recordID }, tags: tags, atomically: false)
      for item in batch {
        guard let result = item.record.flatMap({ results.deleteResults[$0.recordID] }) else {
          continue
        }
        do {
          try result.get()
          done.append(item)
        } catch CKError.serverRecordChanged {
          isChanged = true
        } catch CKError.unknownItem, CKError.permissionFailure {
          done.append(item)
        }
      }
    } catch let error as CKError where error.isOfMissingZone {
      done += batch
    }
    return isChanged
  }

  /// Deletes zones of own shares that ended, once all their objects are in the home zone.
  private func deleteEmptyZones() async throws {
    guard mirror.scope == .private else { return }
    for zone in try ledger.sharedZones.withoutShare() {
      guard try ledger.objects(in: zone.identifier, after: nil, limit: 1).isEmpty,
        try !ledger.sharedZones.hasFormers(in: zone.identifier),
        try ledger.state(.endsZone(zone.identifier)) != nil
      else { continue }
      do {
        // Another device may have sent something to the zone since it was read.
        _ = try await importer.pull(zone.identifier)
        guard try ledger.objects(in: zone.identifier, after: nil, limit: 1).isEmpty else {
          try ledger.sharedZones.moveHome(from: zone.identifier)
          continue
        }
        try await mirror.database.deleteRecordZone(withID: zone.identifier.zoneID)
      } catch let error as CKError where error.isOfMissingZone {}
      try ledger.sharedZones.drop(zone.identifier)
    }
  }
}

extension LedgerStateKey {
  fileprivate static let zoneEnds = Self("ends")

  /// The key that marks a zone that the user no longer shares, to delete once it is empty.
  static func endsZone(_ zone: RecordZoneIdentifier) -> Self {
    Self("\(zoneEnds.name)/\(zone.ownerName)/\(zone.zoneName)")
  }
}
