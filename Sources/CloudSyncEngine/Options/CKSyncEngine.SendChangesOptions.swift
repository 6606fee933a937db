public import CloudKitClient

extension CKSyncEngine {
  /// The options of sending.
  public struct SendChangesOptions: Sendable {
    /// The changes to send.
    public enum Scope: Sendable {
      /// All changes.
      case all
      /// All changes except those in the given zones.
      case allExcluding([CKRecordZone.ID])
      /// The changes in the given zones.
      case zoneIDs([CKRecordZone.ID])
      /// The changes of the given records.
      case recordIDs([CKRecord.ID])

      /// Whether the scope contains a record.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains(recordID)
        }
      }

      /// Whether the scope contains a change.
      public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
        contains(pendingRecordZoneChange.item.name)
      }

      /// Whether a zone's changes are sent.
      ///
      /// Records require their zones.
      func wants(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
        }
      }
    }

    /// The changes to send.
    ///
    /// Other changes stay pending.
    public var scope: Scope
    /// The group of the requests.
    public var operationGroup: CKOperationGroup

    /// Creates options, by default for all changes.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }
  }

  /// The reason and options of sending.
  public struct SendChangesContext: Sendable {
    /// The reason of sending.
    public let reason: SyncReason
    /// The options of sending.
    public let options: SendChangesOptions
  }
}
