public import CloudKitClient

extension CKSyncEngine {
  /// An event that an engine reports to its delegate.
  public enum Event: Sendable {
    /// The engine's state has changed. Store it together with the data of earlier events.
    case stateUpdate(StateUpdate)
    /// The account has changed.
    case accountChange(AccountChange)
    /// Zones have changed or were deleted.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records have changed or were deleted.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zone changes were sent.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// Record changes were sent.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// A fetch has started.
    case willFetchChanges(WillFetchChanges)
    /// The fetch of a zone has started.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// The fetch of a zone has ended.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// A fetch has ended.
    case didFetchChanges(DidFetchChanges)
    /// Sending has started.
    case willSendChanges(WillSendChanges)
    /// Sending has ended.
    case didSendChanges(DidSendChanges)
  }
}

extension CKSyncEngine.Event {
  /// A new state to store.
  public struct StateUpdate: Sendable {
    /// The state, for the configuration of the next engine.
    public let stateSerialization: CKSyncEngine.State.Serialization
  }

  /// An account change.
  public struct AccountChange: Sendable {
    /// The kinds of account changes.
    public enum ChangeType: Hashable, Sendable {
      /// A user has signed in. Also reported first by an engine that starts without a state.
      case signIn(currentUser: CKRecord.ID)
      /// The user has signed out. The engine has discarded its state, including pending changes.
      case signOut(previousUser: CKRecord.ID)
      /// Another user has signed in, or the same user in another container or environment. The
      /// engine has discarded its state, including pending changes.
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }

    /// The kind of the change, with its users.
    public let changeType: ChangeType
  }
}
