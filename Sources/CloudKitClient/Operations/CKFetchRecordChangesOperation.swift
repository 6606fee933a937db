public import Foundation
import Synchronization

// Sendable: properties are set before the operation is added; the last token is under the lock.
/// An operation that fetches one page of the changes in a record zone since a token.
///
/// Its tokens are interchangeable with those of `CKFetchRecordZoneChangesOperation`. The operation
/// is never persisted, even if it is long-lived.
@available(*, deprecated, message: "Use CKFetchRecordZoneChangesOperation.")
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zone.
  ///
  /// The operation fails without it.
  open var recordZoneID: CKRecordZone.ID?
  /// The token of the previous fetch; nil to fetch everything.
  open var previousServerChangeToken: CKServerChangeToken?
  /// The maximum number of changes; 0 for the server's limit.
  open var resultsLimit = 0
  /// The fields to fetch; nil for all.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// Whether more changes are available, for another operation.
  open var moreComing: Bool { end.withLock { $0.moreComing } }

  /// Called for each created or modified record.
  open var recordChangedBlock: (@Sendable (CKRecord) -> Void)?
  /// Called for each deleted record.
  open var recordWithIDWasDeletedBlock: (@Sendable (CKRecord.ID) -> Void)?
  /// Called when the operation completes, with the last token, nil, and the error.
  open var fetchRecordChangesCompletionBlock:
    (@Sendable (CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  private let end = Mutex<(token: CKServerChangeToken?, moreComing: Bool)>((nil, false))

  /// Creates an operation without a zone.
  public override init() { super.init() }

  /// Creates an operation that fetches the changes in a zone since a token.
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
    let request = ZoneChangesRequest(
      zoneID: recordZoneID, since: previousServerChangeToken,
      limit: resultsLimit > 0 ? resultsLimit : nil,
      desiredKeys: desiredKeys)
    var outcome: Result<ZoneChanges, CKError>?
    try await work.zoneChanges([request]) { _, result in
      if case .success(let changes) = result { reportChanges(changes) }
      // If a record failed temporarily, the page's token would skip it, so the token is not used.
      outcome = result.flatMap(\.whole)
    }
    guard let changes = try outcome?.get() else { return }
    end.withLock { $0 = (changes.token, changes.moreComing) }
    var errors = ItemErrors()
    for (recordID, result) in changes.records { errors.note(recordID, result) }
    try errors.check()
  }

  private func reportChanges(_ changes: ZoneChanges) {
    for case (_, .success(let record)) in changes.records { recordChangedBlock?(record) }
    for (recordID, _) in changes.deleted { recordWithIDWasDeletedBlock?(recordID) }
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordChangesCompletionBlock?(end.withLock { $0.token }, nil, error)
  }
}
