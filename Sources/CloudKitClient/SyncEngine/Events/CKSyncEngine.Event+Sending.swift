extension CKSyncEngine.Event {
  /// Sending begins.
  public struct WillSendChanges: Sendable {
    /// What is sent.
    public let context: CKSyncEngine.SendChangesContext
  }

  /// Zones were sent.
  public struct SentDatabaseChanges: Sendable {
    /// A zone that could not be made.
    public struct FailedZoneSave: Sendable {
      /// The zone.
      public let zone: CKRecordZone
      /// Why.
      public let error: CKError
    }

    /// Zones that are there now.
    public let savedZones: [CKRecordZone]
    /// Zones that could not be made.
    public let failedZoneSaves: [FailedZoneSave]
    /// Zones that are gone now.
    public let deletedZoneIDs: [CKRecordZone.ID]
    /// Zones that could not be deleted, and why.
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]
  }

  /// Records were sent.
  public struct SentRecordZoneChanges: Sendable {
    /// A record that could not be saved.
    public struct FailedRecordSave: Sendable {
      /// The record.
      public let record: CKRecord
      /// Why.
      ///
      /// What passes by itself the engine sends again. What does not is yours: merge, make the
      /// zone, or give it up, and add the change once more.
      public let error: CKError
    }

    /// Records that were saved: keep their system fields.
    public let savedRecords: [CKRecord]
    /// Records that could not be saved.
    public let failedRecordSaves: [FailedRecordSave]
    /// Records that are gone now.
    public let deletedRecordIDs: [CKRecord.ID]
    /// Records that could not be deleted, and why.
    public let failedRecordDeletes: [CKRecord.ID: CKError]
  }

  /// Sending is over.
  public struct DidSendChanges: Sendable {
    /// What was sent.
    public let context: CKSyncEngine.SendChangesContext
  }
}
