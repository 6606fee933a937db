public import CloudKitClient
public import Foundation

extension NSPersistentCloudKitContainer {
  /// The sync state of a container: pending changes, blockers, and dates of the last import and
  /// export.
  ///
  /// Parhelion's addition.
  public struct SyncState: Hashable, Sendable {
    /// The mirrored stores, in the order in which they were added.
    public let stores: [StoreState]

    /// Whether every store and its database hold the same data, as far as the server has reported.
    ///
    /// The value is false for a container that mirrors no store.
    public var isUpToDate: Bool { !stores.isEmpty && stores.allSatisfy(\.isUpToDate) }

    /// The first blocker of any store.
    public var blocker: SyncBlocker? { stores.lazy.compactMap(\.blocker).first }

    /// The number of pending local changes in all stores.
    public var pendingChangeCount: Int { stores.reduce(0) { $0 + $1.pendingChangeCount } }
  }

  /// The sync state of one store.
  ///
  /// Parhelion's addition.
  public struct StoreState: Hashable, Sendable {
    /// The activity of a store.
    public enum Phase: Hashable, Sendable {
      /// Mirroring has not started, or has ended.
      case stopped
      /// The program paused syncing.
      case paused
      /// The account, the zone and the subscription are being set up.
      case settingUp
      /// Remote changes are being imported.
      case importing
      /// Local changes are being exported.
      case exporting
      /// There is nothing to do.
      case idle
      /// The next attempt starts at the given date.
      case waiting(until: Date)
      /// Syncing has stopped until `blocker` is resolved.
      case blocked
    }

    /// The store's UUID.
    public let storeIdentifier: String
    /// The identifier of the CloudKit container that the store is mirrored with.
    public let containerIdentifier: String
    /// The database that the store is mirrored with.
    public let databaseScope: CKDatabase.Scope
    /// The store's current activity.
    public let phase: Phase
    /// The number of pending local changes: inserted, changed and deleted objects, and pairs of
    /// objects in many-to-many relationships.
    public let pendingChangeCount: Int
    /// The approximate size of the pending changes, in bytes.
    public let pendingByteCount: Int64
    /// The number of references to objects that have not been imported yet.
    public let deferredReferenceCount: Int
    /// The date of the last complete import.
    ///
    /// An import is complete even if it found unreadable records, which `recordBlockers` lists.
    public let lastImportDate: Date?
    /// The date of the last complete export, also if nothing was pending.
    public let lastExportDate: Date?
    /// The first reason why the store or one of its records does not sync; nil if there is none.
    public let blocker: SyncBlocker?
    /// The blockers of single records; some, such as `quotaExceeded`, also stop other exports.
    public let recordBlockers: [SyncBlocker]
    /// Whether a push connection reports changes as they happen.
    ///
    /// If the connection is missing, the store polls every five minutes, and after half a minute
    /// its blocker is `notListening`. Public databases have no push connection.
    public let isListening: Bool
    /// Whether pending work has made no progress for ten minutes.
    ///
    /// A long import or export that makes progress is not stalled.
    public let isStalled: Bool
    /// The number of records that the current or the last import received.
    public let importedRecordCount: Int

    /// Whether the store and its database hold the same data, as far as the server has reported.
    public var isUpToDate: Bool {
      phase == .idle && pendingChangeCount == 0 && lastImportDate != nil && blocker == nil
    }
  }
}
