public import CloudKitClient
public import Foundation

extension NSPersistentCloudKitContainer {
  /// Where each store's changes are: what waits, what stands in the way, and when everything was
  /// last alike.
  ///
  /// Parhelion's addition.
  public struct SyncState: Hashable, Sendable {
    /// The stores that are mirrored, in the order of their addition.
    public let stores: [StoreState]

    /// Whether every store and the cloud have everything of each other, as far as the server has
    /// told.
    ///
    /// A container that mirrors no store has nothing in the cloud: it is false.
    public var isUpToDate: Bool { !stores.isEmpty && stores.allSatisfy(\.isUpToDate) }

    /// The first thing that stands in the way of any store.
    public var blocker: SyncBlocker? { stores.lazy.compactMap(\.blocker).first }

    /// The changes that wait to be sent.
    public var pendingChangeCount: Int { stores.reduce(0) { $0 + $1.pendingChangeCount } }
  }

  /// Where one store's changes are.
  ///
  /// Parhelion's addition.
  public struct StoreState: Hashable, Sendable {
    /// What a store is doing.
    public enum Phase: Hashable, Sendable {
      /// It is not mirrored yet, or not any more.
      case stopped
      /// The program paused it.
      case paused
      /// Account, zone and subscription are made ready.
      case settingUp
      /// Changes come.
      case importing
      /// Changes go.
      case exporting
      /// Nothing is to be done.
      case idle
      /// It is tried again at a time.
      case waiting(until: Date)
      /// Nothing goes on until somebody does something: see `blocker`.
      case blocked
    }

    /// The UUID of the store.
    public let storeIdentifier: String
    /// The name of the container that the store is mirrored with.
    public let containerIdentifier: String
    /// Which of the container's databases.
    public let databaseScope: CKDatabase.Scope
    /// What the store is doing.
    public let phase: Phase
    /// The changes that wait to be sent: objects and pairs of objects that were made, changed or
    /// deleted.
    public let pendingChangeCount: Int
    /// About how many bytes these are.
    public let pendingByteCount: Int64
    /// References that lead to objects which have not come yet.
    public let waitingReferenceCount: Int
    /// When everything that the server had was last taken over, but for what cannot be read of
    /// single records: `heldBack` tells of that.
    public let lastImportDate: Date?
    /// When everything that was to be sent was last sent.
    public let lastExportDate: Date?
    /// What stands in the way; nil where nothing does.
    public let blocker: SyncBlocker?
    /// Everything that stands in the way of single records, while others go.
    public let heldBack: [SyncBlocker]
    /// Whether the server tells this device of changes as they happen.
    ///
    /// Where it does not, though it should, changes are asked for every five minutes, and after
    /// half a minute the blocker is `notListening`. A public database tells nobody.
    public let isListening: Bool
    /// Whether something was to be done for ten minutes, and nothing moved.
    ///
    /// A long import or export that goes on is none of that.
    public let isStalled: Bool
    /// The records that the import which is going on, or the last one, has brought.
    public let importedRecordCount: Int

    /// Whether the store and the cloud have everything of each other, as far as the server has
    /// told.
    public var isUpToDate: Bool {
      phase == .idle && pendingChangeCount == 0 && lastImportDate != nil && blocker == nil
    }
  }
}
