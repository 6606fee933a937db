public import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation; where it has come is under
// the lock.
/// Fetches what changed in one zone since a place, one page at a time.
///
/// `CKFetchRecordZoneChangesOperation` goes on with its places, and they with its own. It is not
/// kept where it is to be long-lived.
@available(*, deprecated, message: "Use CKFetchRecordZoneChangesOperation.")
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The name of the zone; the operation fails until it has one.
  open var recordZoneID: CKRecordZone.ID?
  /// The place where an earlier operation ended; nil for everything.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many changes the server tells of at most; 0 for as many as it likes.
  open var resultsLimit = 0
  /// The fields that are fetched; nil for all.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// Whether there is more behind the place that the end tells: another operation fetches it.
  open var moreComing: Bool { end.withLock { $0.moreComing } }

  /// Is told of each record that was made or changed.
  open var recordChangedBlock: (@Sendable (CKRecord) -> Void)?
  /// Is told of each record that was deleted.
  open var recordWithIDWasDeletedBlock: (@Sendable (CKRecord.ID) -> Void)?
  /// Is told the end: the last place, nothing of the client's, and the error.
  open var fetchRecordChangesCompletionBlock:
    (@Sendable (CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  private let end = Mutex<(token: CKServerChangeToken?, moreComing: Bool)>((nil, false))

  /// An operation that fails until it is told of which zone.
  public override init() { super.init() }

  /// An operation that fetches what changed in a zone since a place.
  public convenience init(
    recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    self.recordZoneID = recordZoneID
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    guard let recordZoneID else {
      throw CKError(.invalidArguments, "The operation has no zone. Set recordZoneID.")
    }
    let wish = ZoneChangesRequest(
      zoneID: recordZoneID, since: previousServerChangeToken,
      limit: resultsLimit > 0 ? resultsLimit : nil,
      desiredKeys: desiredKeys)
    var told: Result<ZoneChanges, CKError>?
    try await work.zoneChanges([wish]) { _, result in
      if case .success(let changes) = result { tell(changes) }
      // There is no place behind what did not come.
      told = result.flatMap(\.whole)
    }
    guard let changes = try told?.get() else { return }
    end.withLock { $0 = (changes.token, changes.moreComing) }
    var errors = ItemErrors()
    for (recordID, result) in changes.records { errors.note(recordID, result) }
    try errors.check()
  }

  private func tell(_ changes: ZoneChanges) {
    for case (_, .success(let record)) in changes.records { recordChangedBlock?(record) }
    for (recordID, _) in changes.deleted { recordWithIDWasDeletedBlock?(recordID) }
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordChangesCompletionBlock?(end.withLock { $0.token }, nil, error)
  }
}
