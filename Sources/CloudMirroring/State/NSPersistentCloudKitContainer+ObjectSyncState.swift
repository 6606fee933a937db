public import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
public import ObjectRows

extension NSPersistentCloudKitContainer {
  /// The sync progress of one object's changes.
  ///
  /// Parhelion's addition.
  public enum ObjectSyncState: Hashable, Sendable {
    /// The store or entity is not mirrored, or the object was deleted here and in the cloud.
    case notMirrored
    /// The object was never saved.
    case unsaved
    /// Changes are waiting to be sent. The blocker, if any, says why.
    case pending(SyncBlocker?)
    /// Changes were sent at the given date. The server has not answered.
    case sent(Date)
    /// The server acknowledged all changes at the given date.
    case durable(Date)
  }

  /// Returns the sync progress of one object's changes.
  ///
  /// Parhelion's addition.
  public func syncState(of objectID: NSManagedObjectID) throws -> ObjectSyncState {
    if objectID.isTemporaryID { return .unsaved }
    guard let engine = mirroring.engine(of: objectID) else { return .notMirrored }
    return try engine.syncProgress(of: objectID)
  }
}

extension NSPersistentCloudKitContainer.ObjectSyncState {
  /// Whether the object is mirrored, and was saved.
  var isMirrored: Bool {
    switch self {
    case .notMirrored, .unsaved: false
    case .pending, .sent, .durable: true
    }
  }
}

extension MirrorEngine {
  fileprivate func syncProgress(
    of objectID: NSManagedObjectID
  ) throws -> NSPersistentCloudKitContainer.ObjectSyncState {
    let key = objectID.rowKey
    return try throwingPublicErrors {
      switch try ledger.syncProgress(of: key) {
      // The backfill has not enqueued all existing objects yet.
      case .unknown: try isToCome(key) ? try pending(key) : .notMirrored
      case .pending: try pending(key)
      case .sent(let date): .sent(date)
      case .durable(let date): .durable(date)
      }
    }
  }

  private func isToCome(_ key: RowKey) throws -> Bool {
    try ledger.tracks(key) && !ledger.isBackfilled
  }

  private func pending(_ key: RowKey) throws -> NSPersistentCloudKitContainer.ObjectSyncState {
    .pending(try blocker(of: key).map { NSPersistentCloudKitContainer.SyncBlocker($0) })
  }

  private func blocker(of key: RowKey) throws -> MirrorError? {
    if let record = try ledger.records(of: [key])[key] {
      if let error = exporter.rejectedEntries.error(of: record.identifier) { return error }
      let items = try ledger.deferred([.unreadable, .sealed], ofRecords: [record.identifier])
      if let item = items.first { return MirrorError(unread: item) }
    }
    let machine = machine
    return machine.workBlocker ?? machine.failure
      ?? machine.sending.blockers.first(where: \.kind.concernsEverything)
  }
}
