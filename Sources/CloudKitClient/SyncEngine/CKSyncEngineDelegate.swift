/// Keeps what an engine fetches, and gives it what is to be sent.
///
/// Nothing is asked or told before what was asked or told earlier is answered.
///
/// - Warning: Do not wait for `fetchChanges(_:)` or `sendChanges(_:)` in these methods: they would
///   wait for each other. The engine throws where it can see that; use `Task.detached` where you
///   must.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Tells what happened.
  ///
  /// Keep what an event brings before returning: the state updates that follow say that you have
  /// it.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// Asks for what is sent next, again and again until nil is returned.
  ///
  /// ```swift
  /// let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
  /// return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { self.record($0) }
  /// ```
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// Asks what the next fetch is about; where the method is left out, what the context says.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// What the context says.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    context.options
  }
}
