import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Makes and deletes zones of the private database.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to make; making one that is there changes nothing.
  open var recordZonesToSave: [CKRecordZone]?
  /// The names of the zones to delete, with everything in them.
  open var recordZoneIDsToDelete: [CKRecordZone.ID]?

  /// Is told what became of each zone that was to be made.
  open var perRecordZoneSaveBlock:
    (@Sendable (CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Is told what became of each zone that was to be deleted.
  open var perRecordZoneDeleteBlock: (@Sendable (CKRecordZone.ID, Result<Void, any Error>) -> Void)?
  /// Is told the end.
  open var modifyRecordZonesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told the end: the zones that were made, the names of those that were deleted, and the
  /// error.
  @available(*, deprecated, message: "Use modifyRecordZonesResultBlock.")
  open var modifyRecordZonesCompletionBlock:
    (@Sendable ([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock:
    (@Sendable ([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  /// Whether a former process has perhaps done some of it.
  private var wasBegunBefore = false
  private let done = Mutex<(saved: [CKRecordZone], deleted: [CKRecordZone.ID])>(([], []))

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that makes and deletes.
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
      wasBegunBefore: wasBegunBefore,
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

  private enum WishKey {
    static let saving = "RecordZonesToSave"
    static let deleting = "RecordZoneIDsToDelete"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: recordZonesToSave, forKey: WishKey.saving)
    coder.encode(list: recordZoneIDsToDelete, forKey: WishKey.deleting)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    recordZonesToSave = coder.list(of: CKRecordZone.self, WishKey.saving)
    recordZoneIDsToDelete = coder.list(of: CKRecordZone.ID.self, WishKey.deleting)
    wasBegunBefore = true
    return true
  }

  package override func conclude(_ error: CKError?) {
    let done = done.withLock { $0 }
    modifyRecordZonesResultBlock?(Result(error))
    olderFinalBlock?(done.saved, done.deleted, error)
  }
}
