extension CKSyncEngine {
  /// What an engine syncs, and with whom.
  public struct Configuration: Sendable {
    /// The private or the shared database of a container; the public one keeps no list of changes.
    public var database: CKDatabase
    /// What the last engine for the database gave to keep; nil for the first.
    public var stateSerialization: State.Serialization?
    /// Keeps what is fetched, and gives what is sent.
    ///
    /// The engine itself does not keep it alive.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine syncs by itself, whenever there is a reason to.
    public var automaticallySync = true
    /// The subscription by which the server tells of changes.
    ///
    /// Nil to use any to the whole database that the user has, or a new one. An engine that syncs
    /// by itself looks at times whether it is still there, and makes it anew.
    public var subscriptionID: CKSubscription.ID?

    /// A configuration of an engine that syncs by itself.
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
