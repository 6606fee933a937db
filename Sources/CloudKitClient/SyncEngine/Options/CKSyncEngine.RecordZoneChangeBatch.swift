import Synchronization

extension CKSyncEngine {
  /// Records that are sent at once.
  public struct RecordZoneChangeBatch: Sendable {
    /// The records that are saved.
    public var recordsToSave: [CKRecord]
    /// The names of the records that are deleted.
    public var recordIDsToDelete: [CKRecord.ID]
    /// Whether what is in one zone is done as a whole or not at all.
    public var atomicByZone: Bool

    /// A batch from its parts.
    ///
    /// What is too much for one request is sent in several, unless it is to be done as a whole:
    /// then it fails with `limitExceeded`.
    public init(
      recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      self.recordsToSave = recordsToSave
      self.recordIDsToDelete = recordIDsToDelete
      self.atomicByZone = atomicByZone
    }

    /// A batch of the first changes: as many as are sent at once; nil where there is none.
    ///
    /// - Parameter recordProvider: Gives the record that is to be saved; nil to leave it out.
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
          bytes += record.roughSize
          recordsToSave.append(record)
        }
      }
      if count == 0 { return nil }
    }
  }
}

extension CKRecord {
  /// How many bytes the record is on the wire, about: its texts and bytes count.
  fileprivate var roughSize: Int {
    state.withLock { state in
      (Array(state.plain.contents) + Array(state.encrypted.contents)).reduce(256) {
        $0 + $1.key.utf8.count + $1.value.roughSize
      }
    }
  }
}

extension FieldContent {
  fileprivate var roughSize: Int {
    switch self {
    case .string(let text): text.utf8.count + 32
    case .data(let data): data.count * 4 / 3 + 32
    case .list(let members): members.reduce(32) { $0 + $1.roughSize }
    case .asset: 256
    default: 64
    }
  }
}
