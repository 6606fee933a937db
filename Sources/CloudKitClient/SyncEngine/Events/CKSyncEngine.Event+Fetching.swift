extension CKSyncEngine.Event {
  /// A fetch begins.
  public struct WillFetchChanges: Sendable {
    /// What it is about.
    public let context: CKSyncEngine.FetchChangesContext
  }

  /// Zones changed or are gone.
  public struct FetchedDatabaseChanges: Sendable {
    /// Zones that were made, or in which something changed: what, later events tell.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// Zones that are gone, and why.
    ///
    /// After an `encryptedDataReset`, make the zone anew and send again what the device has.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]
  }

  /// The fetch of a zone begins.
  public struct WillFetchRecordZoneChanges: Sendable {
    /// The zone.
    public let zoneID: CKRecordZone.ID
  }

  /// Records changed or are gone: a part of what changed in a zone.
  public struct FetchedRecordZoneChanges: Sendable {
    /// Records as they are now.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// Records that are gone.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]
  }

  /// The fetch of a zone is over.
  public struct DidFetchRecordZoneChanges: Sendable {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    /// What went wrong; nil where all that changed was fetched.
    public let error: CKError?
    /// All records that are in the zone, where the server had forgotten what was deleted; nil
    /// otherwise.
    ///
    /// Parhelion's addition: Apple's engine, too, fetches everything then, and says nothing of it.
    /// What the program has of the zone, has sent, and does not find here, is deleted; what is yet
    /// to be sent is not.
    public let recordIDsInZone: Set<CKRecord.ID>?
  }

  /// A fetch is over.
  public struct DidFetchChanges: Sendable {
    /// What it was about.
    public let context: CKSyncEngine.FetchChangesContext
  }
}
