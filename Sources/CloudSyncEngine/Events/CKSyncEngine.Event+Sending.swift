public import CloudKitClient

extension CKSyncEngine.Event {
  /// Sending has started.
  public struct WillSendChanges: Sendable {
    /// The reason and options.
    public let context: CKSyncEngine.SendChangesContext
  }

  /// Zone changes were sent.
  public struct SentDatabaseChanges: Sendable {
    /// A zone that could not be saved.
    public struct FailedZoneSave: Sendable {
      /// The zone.
      public let zone: CKRecordZone
      /// The error.
      public let error: CKError
    }

    /// The zones that were saved.
    public let savedZones: [CKRecordZone]
    /// The zones that could not be saved.
    public let failedZoneSaves: [FailedZoneSave]
    /// The zones that were deleted.
    public let deletedZoneIDs: [CKRecordZone.ID]
    /// The zones that could not be deleted, with their errors.
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]
  }

  /// Record changes were sent.
  public struct SentRecordZoneChanges: Sendable {
    /// A record that could not be saved.
    public struct FailedRecordSave: Sendable {
      /// The record.
      public let record: CKRecord
      /// The error.
      ///
      /// The engine retries temporary errors. Handle the others: resolve the conflict, create the
      /// zone, or discard the change. Then add the change again if necessary.
      public let error: CKError
    }

    /// The records that were saved.
    ///
    /// Store their system fields.
    public let savedRecords: [CKRecord]
    /// The records that could not be saved.
    public let failedRecordSaves: [FailedRecordSave]
    /// The records that were deleted.
    public let deletedRecordIDs: [CKRecord.ID]
    /// The records that could not be deleted, with their errors.
    public let failedRecordDeletes: [CKRecord.ID: CKError]
  }

  /// Sending has ended.
  public struct DidSendChanges: Sendable {
    /// The reason and options.
    public let context: CKSyncEngine.SendChangesContext
  }
}
