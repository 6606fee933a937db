extension CKSyncEngine {
  /// What a fetch is about.
  public struct FetchChangesOptions: Sendable {
    /// Zones that are fetched.
    public enum Scope: Sendable {
      /// All.
      case all
      /// All but some.
      case allExcluding([CKRecordZone.ID])
      /// Some.
      case zoneIDs([CKRecordZone.ID])

      /// Whether a zone is fetched.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        }
      }
    }

    /// The zones that are fetched; what changed in others is fetched another time.
    public var scope: Scope
    /// What the requests of the fetch belong to.
    public var operationGroup: CKOperationGroup
    /// Zones that are fetched before others, in this order.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// Options of a fetch: all zones, where nothing else is said.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }
  }

  /// What a fetch is about, and why it is made.
  public struct FetchChangesContext: Sendable {
    /// Why it is made.
    public let reason: SyncReason
    /// What it is about.
    public let options: FetchChangesOptions
  }
}
