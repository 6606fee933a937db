public import CloudKitClient

extension CKSyncEngine.Event {
  /// A fetch has started.
  public struct WillFetchChanges: Sendable {
    /// The fetch's reason and options.
    public let context: CKSyncEngine.FetchChangesContext
  }

  /// Zones have changed or were deleted.
  public struct FetchedDatabaseChanges: Sendable {
    /// The zones that were created or have changed records.
    ///
    /// Later events contain the records.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// The deleted zones, with reasons.
    ///
    /// After `encryptedDataReset`, create the zone again and upload the device's data.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]
  }

  /// The fetch of a zone has started.
  public struct WillFetchRecordZoneChanges: Sendable {
    /// The zone's ID.
    public let zoneID: CKRecordZone.ID
  }

  /// Records have changed or were deleted.
  ///
  /// A fetch may report the changes of a zone in several such events.
  public struct FetchedRecordZoneChanges: Sendable {
    /// The created and modified records in their current versions.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// The deleted records.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]
  }

  /// The fetch of a zone has ended.
  public struct DidFetchRecordZoneChanges: Sendable {
    /// The zone's ID.
    public let zoneID: CKRecordZone.ID
    /// The error; nil if all changes were fetched.
    public let error: CKError?
    /// The IDs of all records in the zone after a full listing; nil otherwise.
    ///
    /// Parhelion's addition. The server requires a full listing if it does not remember the
    /// deletions any more. Local records of the zone that have been sent and are missing here were
    /// deleted. Apple's engine also fetches everything then, but does not report the IDs.
    public let recordIDsInZone: Set<CKRecord.ID>?
  }

  /// A fetch has ended.
  public struct DidFetchChanges: Sendable {
    /// The fetch's reason and options.
    public let context: CKSyncEngine.FetchChangesContext
  }
}
