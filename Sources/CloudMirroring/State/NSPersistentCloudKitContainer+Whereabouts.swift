public import Foundation
import ManagedObjects
public import ObjectRows

extension NSPersistentCloudKitContainer {
  /// Where an object's changes are, and why they are not further.
  ///
  /// Parhelion's addition.
  public enum Whereabouts: Hashable, Sendable {
    /// Its store is not mirrored, or its entity is not.
    case notMirrored
    /// It was not saved yet.
    case unsaved
    /// It waits to be sent; the blocker says what stands in the way, if anything does.
    case pending(SyncBlocker?)
    /// It was sent at a time, and the server has not answered.
    case sent(Date)
    /// The server has everything of it since a time.
    case durable(Date)
  }

  /// Where an object's changes are, and why they are not further.
  ///
  /// Parhelion's addition.
  public func why(_ objectID: NSManagedObjectID) throws -> Whereabouts {
    if objectID.isTemporaryID { return .unsaved }
    guard let engine = keeper.engine(of: objectID) else { return .notMirrored }
    return try engine.whereabouts(of: objectID)
  }
}

extension NSPersistentCloudKitContainer.Whereabouts {
  /// Whether there is something to send of the object, or was.
  var isMirrored: Bool {
    switch self {
    case .notMirrored, .unsaved: false
    case .pending, .sent, .durable: true
    }
  }
}

extension MirrorEngine {
  fileprivate func whereabouts(
    of objectID: NSManagedObjectID
  ) throws -> NSPersistentCloudKitContainer.Whereabouts {
    let key = objectID.rowKey
    return try throwingPublicErrors {
      switch try ledger.whereabouts(of: key) {
      // What was there before is put in by and by.
      case .unknown: try isToCome(key) ? try pending(key) : .notMirrored
      case .pending: try pending(key)
      case .sent(let date): .sent(date)
      case .durable(let date): .durable(date)
      }
    }
  }

  private func isToCome(_ key: RowKey) throws -> Bool {
    try ledger.names.entity(Int(key.layoutIndex)) != nil && !ledger.isEnrolled
  }

  private func pending(_ key: RowKey) throws -> NSPersistentCloudKitContainer.Whereabouts {
    .pending(try obstacle(of: key).map { NSPersistentCloudKitContainer.SyncBlocker($0) })
  }

  private func obstacle(of key: RowKey) throws -> MirrorFault? {
    if let record = try ledger.records(of: [key])[key] {
      if let fault = refusals.fault(of: record.identifier) { return fault }
      let reason = try ledger.unreadable()[record.identifier.recordID]
      if let reason { return MirrorFault(.unreadableRecord, reason) }
    }
    let machine = machine
    return machine.standstill ?? machine.fault
      ?? machine.hindrances.first(where: \.kind.concernsEverything)
  }
}
