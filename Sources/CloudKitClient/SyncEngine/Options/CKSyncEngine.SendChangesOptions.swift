extension CKSyncEngine {
  /// What is sent.
  public struct SendChangesOptions: Sendable {
    /// Changes that are sent.
    public enum Scope: Sendable {
      /// All.
      case all
      /// All but those in some zones.
      case allExcluding([CKRecordZone.ID])
      /// Those in some zones.
      case zoneIDs([CKRecordZone.ID])
      /// Those of some records.
      case recordIDs([CKRecord.ID])

      /// Whether what changed in a record is sent.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains(recordID)
        }
      }

      /// Whether a change is sent.
      public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
        contains(pendingRecordZoneChange.item.name)
      }

      /// Whether a zone is made or deleted: records need their zones.
      func wants(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
        }
      }
    }

    /// The changes that are sent; others are sent another time.
    public var scope: Scope
    /// What the requests belong to.
    public var operationGroup: CKOperationGroup

    /// Options of sending: all changes, where nothing else is said.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }
  }

  /// What is sent, and why.
  public struct SendChangesContext: Sendable {
    /// Why it is sent.
    public let reason: SyncReason
    /// What is sent.
    public let options: SendChangesOptions
  }
}
