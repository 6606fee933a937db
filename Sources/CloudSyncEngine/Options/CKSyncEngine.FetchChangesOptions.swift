public import CloudKitClient

extension CKSyncEngine {
  /// The options of a fetch.
  public struct FetchChangesOptions: Sendable {
    /// The zones of a fetch.
    public enum Scope: Sendable {
      /// All zones.
      case all
      /// All zones except the given ones.
      case allExcluding([CKRecordZone.ID])
      /// The given zones.
      case zoneIDs([CKRecordZone.ID])

      /// Whether the scope contains a zone.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        }
      }
    }

    /// The zones to fetch.
    ///
    /// Changes in other zones stay unfetched.
    public var scope: Scope
    /// The group of the fetch's requests.
    public var operationGroup: CKOperationGroup
    /// The zones to fetch first, in this order.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// Creates options, by default for all zones.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }
  }

  /// The reason and options of a fetch.
  public struct FetchChangesContext: Sendable {
    /// The reason of the fetch.
    public let reason: SyncReason
    /// The options of the fetch.
    public let options: FetchChangesOptions
  }
}
