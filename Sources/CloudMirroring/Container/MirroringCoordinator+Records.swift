import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// Records of objects, as the container offers them.
extension MirroringCoordinator {
  func recordIDs(for objectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID] {
    rows(of: objectIDs).mapValues(\.identifier.recordID)
  }

  /// Returns the records as last received from the server: their system fields, and the fields of
  /// properties that have not changed here since.
  func records(for objectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] {
    var records: [NSManagedObjectID: CKRecord] = [:]
    let rows = rows(of: objectIDs).filter { $0.value.systemFields != nil }
    for (engine, objectIDs) in byEngine(Array(rows.keys)) {
      let contents = engine.contents(of: objectIDs.map(\.rowKey))
      for objectID in objectIDs {
        guard let row = rows[objectID], let record = engine.mirror.bareRecord(row) else { continue }
        if let content = contents[objectID.rowKey] {
          engine.fill(record, content, row, objectID.rowKey)
        }
        records[objectID] = record
      }
    }
    return records
  }

  /// Returns the ledgers' rows of objects.
  private func rows(of objectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: LedgerRecord] {
    var rows: [NSManagedObjectID: LedgerRecord] = [:]
    for (engine, objectIDs) in byEngine(objectIDs) {
      // An unreadable store has no records here; its error is reported elsewhere.
      let known = (try? engine.ledger.records(of: objectIDs.map(\.rowKey))) ?? [:]
      for objectID in objectIDs { rows[objectID] = known[objectID.rowKey] }
    }
    return rows
  }

  /// Groups the saved objects by the engines of their stores.
  func byEngine(_ objectIDs: [NSManagedObjectID]) -> [(MirrorEngine, [NSManagedObjectID])] {
    let saved = objectIDs.filter { !$0.isTemporaryID }
    return engines.compactMap { engine in
      let own = saved.filter { $0.storeIdentity?.uuid == engine.mirror.storeIdentifier }
      return own.isEmpty ? nil : (engine, own)
    }
  }

  // MARK: Permission

  /// Whether the user may change and delete the record of an object.
  ///
  /// In a public database a record belongs to its creator. In a shared database the share decides.
  /// All other records are the user's own.
  func mayChangeRecord(of objectID: NSManagedObjectID) -> Bool {
    if objectID.persistentStore?.isReadOnly == true { return false }
    guard !objectID.isTemporaryID, let engine = engine(of: objectID) else { return true }
    guard engine.mayUserWrite else { return false }
    if engine.mirror.scope == .shared {
      return !engine.shared.permissions.isReadOnly(objectID.rowKey, in: engine.ledger)
    }
    guard engine.mirror.scope == .public, let row = rows(of: [objectID])[objectID],
      let creator = engine.mirror.bareRecord(row)?.creatorUserRecordID
    else { return true }
    return creator.recordName == CKCurrentUserDefaultName
  }

  func canModify(_ store: NSPersistentStore) -> Bool {
    guard !store.isReadOnly else { return false }
    guard let engine = engine(of: store) else { return true }
    return engine.mayUserWrite
  }
}

extension MirrorEngine {
  /// Whether the user may insert and change objects at all.
  ///
  /// In a public database, a rejection does not count: the record may belong to another user. Only
  /// signed-in users write there. Until the setup has determined the user, the answer is yes
  /// unless a blocker shows that no user is signed in.
  fileprivate var mayUserWrite: Bool {
    guard mirror.scope == .public else {
      return driving.withLock { driving in
        !driving.machine.sending.blockers.contains { $0.kind == .permission }
      }
    }
    let machine = machine
    guard machine.isSetUp else { return !machine.allBlockers.contains(where: \.kind.lacksUser) }
    // An unreadable store is reported elsewhere.
    return (try? mirror.presentUser) != nil
  }

  /// Returns the current contents of objects.
  func contents(of keys: [RowKey]) -> [RowKey: ObjectContent] {
    let contents = try? mirror.withContextAndWait { [mirror] context in
      let reader = ObjectReader(mirror: mirror, context: context)
      let objects = try reader.objects(keys)
      return try reader.contents(
        of: objects, names: try mirror.ledger.records(of: keys).mapValues(\.identifier))
    }
    return contents ?? [:]
  }

  /// Puts an object's values into a record for the program, except values that the server does not
  /// have yet.
  ///
  /// The record keeps its files of long values alive.
  fileprivate func fill(
    _ record: CKRecord, _ content: ObjectContent, _ row: LedgerRecord, _ key: RowKey
  ) {
    guard let entity = mirror.schema[content.entity] else { return }
    let waiting = mirror.names(row.changed, of: key)
    let former = mirror.names(row.digests, of: key)
    let unsent =
      row.isChangeUnknown ? entity.properties(of: waiting, in: content, unlike: former) : waiting
    let known = entity.sentProperties.subtracting(unsent)
    _ = try? exporter.encoder.encode(
      content.part(known), changed: known, into: record, staging: mirror.assets)
    for field in record.allKeys() {
      guard let asset = record[field] as CKAsset?, let place = asset.fileURL else { continue }
      record[field] = CKAsset(fileURL: place, owner: ShownFile(place), isSealed: asset.isSealed)
    }
  }
}

/// A file of a record for the program; it is removed with the record.
private final class ShownFile: Sendable {
  private let place: URL

  init(_ place: URL) { self.place = place }

  deinit { try? FileManager.default.removeItem(at: place) }
}
