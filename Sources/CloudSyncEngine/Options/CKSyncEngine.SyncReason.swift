extension CKSyncEngine {
  /// The reason of a sync.
  public enum SyncReason: Hashable, Sendable {
    /// The engine synced automatically.
    case scheduled
    /// The app requested the sync.
    case manual
  }
}
