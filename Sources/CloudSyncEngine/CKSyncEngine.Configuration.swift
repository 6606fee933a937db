public import CloudKitClient

extension CKSyncEngine {
  /// The configuration of a sync engine.
  public struct Configuration: Sendable {
    /// The private or shared database to sync.
    ///
    /// The public database has no change feed.
    public var database: CKDatabase
    /// The last state that an engine for the database provided; nil for the first one.
    public var stateSerialization: State.Serialization?
    /// The delegate, which stores fetched records and provides the records to send.
    ///
    /// The engine does not retain it.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine syncs automatically whenever there is a reason to.
    public var automaticallySync = true
    /// The subscription that notifies the engine of changes.
    ///
    /// Nil to use any of the user's subscriptions to the database, or to create one. An engine that
    /// syncs automatically checks from time to time that the subscription exists, and recreates it
    /// if necessary.
    public var subscriptionID: CKSubscription.ID?

    /// Creates a configuration of an engine that syncs automatically.
    public init(
      database: CKDatabase, stateSerialization: State.Serialization?,
      delegate: any CKSyncEngineDelegate
    ) {
      self.database = database
      self.stateSerialization = stateSerialization
      self.delegate = delegate
    }
  }
}
