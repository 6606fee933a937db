extension CKSyncEngine {
  /// Why the engine syncs.
  public enum SyncReason: Hashable, Sendable {
    /// By itself.
    case scheduled
    /// The program asked for it.
    case manual
  }
}
