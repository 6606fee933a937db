import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that creates and deletes record zones in the private database.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to create.
  ///
  /// Saving an existing zone has no effect.
  open var recordZonesToSave: [CKRecordZone]?
  /// The zones to delete, with all their records.
  open var recordZoneIDsToDelete: [CKRecordZone.ID]?

  /// Called with the result for each saved zone.
  open var perRecordZoneSaveBlock:
    (@Sendable (CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called with the result for each deleted zone.
  open var perRecordZoneDeleteBlock: (@Sendable (CKRecordZone.ID, Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  open var modifyRecordZonesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes, with the saved zones, the deleted zones, and the error.
  @available(*, deprecated, message: "Use modifyRecordZonesResultBlock.")
  open var modifyRecordZonesCompletionBlock:
    (@Sendable ([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock:
    (@Sendable ([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  /// Whether an earlier process may have performed part of the work.
  private var mayHaveStartedBefore = false
  private let done = Mutex<(saved: [CKRecordZone], deleted: [CKRecordZone.ID])>(([], []))

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that creates and deletes zones.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    self.recordZonesToSave = recordZonesToSave
    self.recordZoneIDsToDelete = recordZoneIDsToDelete
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    try await work.modifyZones(
      saving: recordZonesToSave ?? [], deleting: recordZoneIDsToDelete ?? [],
      mayHaveStartedBefore: mayHaveStartedBefore,
      saved: { zoneID, result in
        errors.note(zoneID, result)
        if case .success(let zone) = result { done.withLock { $0.saved.append(zone) } }
        perRecordZoneSaveBlock?(zoneID, result.plain)
      },
      deleted: { zoneID, result in
        errors.note(zoneID, result)
        if case .success = result { done.withLock { $0.deleted.append(zoneID) } }
        perRecordZoneDeleteBlock?(zoneID, result.plain)
      })
    try errors.check()
  }

  override func failEach(_ error: CKError) {
    for zone in recordZonesToSave ?? [] { perRecordZoneSaveBlock?(zone.zoneID, .failure(error)) }
    for zoneID in recordZoneIDsToDelete ?? [] { perRecordZoneDeleteBlock?(zoneID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let saving = "RecordZonesToSave"
    static let deleting = "RecordZoneIDsToDelete"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: recordZonesToSave, forKey: RequestKey.saving)
    coder.encode(list: recordZoneIDsToDelete, forKey: RequestKey.deleting)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    recordZonesToSave = coder.list(of: CKRecordZone.self, RequestKey.saving)
    recordZoneIDsToDelete = coder.list(of: CKRecordZone.ID.self, RequestKey.deleting)
    mayHaveStartedBefore = true
    return true
  }

  package override func conclude(_ error: CKError?) {
    let done = done.withLock { $0 }
    modifyRecordZonesResultBlock?(Result(error))
    olderFinalBlock?(done.saved, done.deleted, error)
  }
}
