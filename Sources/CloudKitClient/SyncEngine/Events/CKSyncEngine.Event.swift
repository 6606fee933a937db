extension CKSyncEngine {
  /// What an engine tells its delegate: one event after the other.
  public enum Event: Sendable {
    /// What the engine knows changed: keep it, beside what the events before it brought.
    case stateUpdate(StateUpdate)
    /// Somebody signed in or out.
    case accountChange(AccountChange)
    /// Zones changed or are gone.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records changed or are gone.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zones were sent.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// Records were sent.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// A fetch begins.
    case willFetchChanges(WillFetchChanges)
    /// The fetch of a zone begins.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// The fetch of a zone is over.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// A fetch is over.
    case didFetchChanges(DidFetchChanges)
    /// Sending begins.
    case willSendChanges(WillSendChanges)
    /// Sending is over.
    case didSendChanges(DidSendChanges)
  }
}

extension CKSyncEngine.Event {
  /// What is to be kept of what the engine knows.
  public struct StateUpdate: Sendable {
    /// Give it to the next engine.
    public let stateSerialization: CKSyncEngine.State.Serialization
  }

  /// Somebody signed in or out.
  public struct AccountChange: Sendable {
    /// Who.
    public enum ChangeType: Hashable, Sendable {
      /// Somebody signed in; also what an engine tells first that was made without a state.
      case signIn(currentUser: CKRecord.ID)
      /// Somebody signed out. The engine forgot everything, also what was to be sent.
      case signOut(previousUser: CKRecord.ID)
      /// Somebody else signed in. The engine forgot everything, also what was to be sent.
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }

    /// Who signed in or out.
    public let changeType: ChangeType
  }
}
