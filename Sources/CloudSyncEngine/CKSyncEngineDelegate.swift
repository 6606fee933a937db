/// Stores what a sync engine fetches, and provides what it sends.
///
/// The engine calls one method at a time.
///
/// - Warning: Do not await `fetchChanges(_:)` or `sendChanges(_:)` in these methods, which would
///   deadlock. The engine throws an error if it detects this. If necessary, use `Task.detached`.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Handles an event.
  ///
  /// Store an event's data before returning: the state update that follows marks the data as
  /// received.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// Returns the next changes to send; nil if there are no more.
  ///
  /// The engine calls this method repeatedly until it returns nil.
  ///
  /// ```swift
  /// let changes = syncEngine.state.pendingRecordZoneChanges
  ///   .filter { context.options.scope.contains($0) }
  /// return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { self.record($0) }
  /// ```
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// Returns the options of the next fetch, by default those of the context.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// Returns the options of the context.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    context.options
  }
}
