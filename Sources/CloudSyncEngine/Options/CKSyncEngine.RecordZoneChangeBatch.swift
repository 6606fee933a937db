public import CloudKitClient

extension CKSyncEngine {
  /// A batch of record changes to send.
  public struct RecordZoneChangeBatch: Sendable {
    /// The records to save.
    public var recordsToSave: [CKRecord]
    /// The IDs of the records to delete.
    public var recordIDsToDelete: [CKRecord.ID]
    /// Whether the changes in each zone are atomic.
    public var atomicByZone: Bool

    /// Creates a batch.
    ///
    /// A batch that exceeds the limit of one request is split. An atomic batch fails with
    /// `limitExceeded` instead.
    public init(
      recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      self.recordsToSave = recordsToSave
      self.recordIDsToDelete = recordIDsToDelete
      self.atomicByZone = atomicByZone
    }

    /// Creates a batch from the first pending changes, up to the limit of a batch; nil if there are
    /// none.
    ///
    /// - Parameters:
    ///   - pendingChanges: The pending changes.
    ///   - recordProvider: Returns the record to save; nil to skip it.
    public init?(
      pendingChanges: [PendingRecordZoneChange], recordProvider: (CKRecord.ID) async -> CKRecord?
    ) async {
      self.init()
      var bytes = 0
      for change in pendingChanges {
        guard count < SyncLimits.changesPerBatch, bytes < SyncLimits.bytesPerBatch else { break }
        switch change {
        case .deleteRecord(let recordID): recordIDsToDelete.append(recordID)
        case .saveRecord(let recordID):
          guard let record = await recordProvider(recordID) else { continue }
          bytes += record.approximateSize
          recordsToSave.append(record)
        }
      }
      if count == 0 { return nil }
    }
  }
}
