public import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that saves and deletes records.
///
/// In custom zones, either all records of a zone are saved or none, unless ``isAtomic`` is false.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The policies for saving records that have changed on the server since they were fetched.
  public enum RecordSavePolicy: Int, Sendable {
    /// Records that have changed on the server are not saved, and are reported as conflicts.
    case ifServerRecordUnchanged = 0
    /// Only the changed fields are saved, regardless of the server's version.
    case changedKeys = 1
    /// All fields are saved, regardless of the server's version.
    case allKeys = 2
  }

  /// The records to save.
  open var recordsToSave: [CKRecord]?
  /// The records to delete.
  open var recordIDsToDelete: [CKRecord.ID]?
  /// The policy for saving records that have changed on the server.
  open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// An identifier that the app chooses for its changes.
  ///
  /// CloudKit's web services cannot transmit the identifier, so the blocks of fetch operations pass
  /// nil instead. Use the blocks of this operation to see which changes were saved. A long-lived
  /// operation keeps the identifier when a later process resumes the operation.
  open var clientChangeTokenData: Data?
  /// Whether all records of a zone are saved and deleted together or not at all.
  open var isAtomic = true

  /// Called with the progress of a record's upload, from 0 to 1.
  open var perRecordProgressBlock: (@Sendable (CKRecord, Double) -> Void)?
  /// Called with the result for each saved record.
  open var perRecordSaveBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called with the result for each deleted record.
  open var perRecordDeleteBlock: (@Sendable (CKRecord.ID, Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  open var modifyRecordsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Called with the result for each saved record.
  @available(*, deprecated, message: "Use perRecordSaveBlock.")
  open var perRecordCompletionBlock: (@Sendable (CKRecord, (any Error)?) -> Void)? {
    get { olderPerRecordBlock }
    set { olderPerRecordBlock = newValue }
  }
  /// Called when the operation completes, with the saved records, the deleted records, and the
  /// error.
  @available(*, deprecated, message: "Use modifyRecordsResultBlock.")
  open var modifyRecordsCompletionBlock:
    (@Sendable ([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderPerRecordBlock: (@Sendable (CKRecord, (any Error)?) -> Void)?
  private var olderFinalBlock: (@Sendable ([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?
  /// Whether an earlier process may have performed part of the work.
  private var mayHaveStartedBefore = false
  private let outcome = Mutex(Outcome())

  private struct Outcome {
    var saved: [CKRecord] = []
    var deleted: [CKRecord.ID] = []
    var errors = ItemErrors()
  }

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that saves and deletes records.
  public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil)
  {
    self.init()
    self.recordsToSave = recordsToSave
    self.recordIDsToDelete = recordIDsToDelete
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    let report = RecordModification.Report(
      progress: { [perRecordProgressBlock] in perRecordProgressBlock?($0, $1) },
      saved: { [self, given] in reportResult($0, $1, given) },
      deleted: { [self] in reportDeletion($0, $1) })
    try await RecordModification(
      work: work, policy: savePolicy, isAtomic: isAtomic,
      mayHaveStartedBefore: mayHaveStartedBefore, report: report
    )
    .run(saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [])
    try outcome.withLock { $0.errors }.check()
  }

  override func failEach(_ error: CKError) {
    for record in recordsToSave ?? [] { reportResult(record.recordID, .failure(error), given) }
    for recordID in recordIDsToDelete ?? [] { reportDeletion(recordID, .failure(error)) }
  }

  /// The records to save, by their IDs.
  private var given: [CKRecord.ID: CKRecord] {
    Dictionary(
      recordsToSave?.map { ($0.recordID, $0) } ?? [], uniquingKeysWith: { first, _ in first })
  }

  private func reportResult(
    _ recordID: CKRecord.ID, _ result: Result<CKRecord, CKError>, _ given: [CKRecord.ID: CKRecord]
  ) {
    outcome.withLock { outcome in
      outcome.errors.note(recordID, result)
      if case .success(let record) = result { outcome.saved.append(record) }
    }
    perRecordSaveBlock?(recordID, result.plain)
    if let record = given[recordID] { olderPerRecordBlock?(record, result.error) }
  }

  private func reportDeletion(_ recordID: CKRecord.ID, _ result: Result<Void, CKError>) {
    outcome.withLock { outcome in
      outcome.errors.note(recordID, result)
      if case .success = result { outcome.deleted.append(recordID) }
    }
    perRecordDeleteBlock?(recordID, result.plain)
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let saving = "RecordsToSave"
    static let deleting = "RecordIDsToDelete"
    static let policy = "SavePolicy"
    static let isAtomic = "IsAtomic"
    static let clientToken = "ClientChangeTokenData"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: recordsToSave, forKey: RequestKey.saving)
    coder.encode(list: recordIDsToDelete, forKey: RequestKey.deleting)
    coder.encode(savePolicy.rawValue, forKey: RequestKey.policy)
    coder.encode(isAtomic, forKey: RequestKey.isAtomic)
    if let clientChangeTokenData {
      coder.encode(clientChangeTokenData as NSData, forKey: RequestKey.clientToken)
    }
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    guard let policy = RecordSavePolicy(rawValue: coder.decodeInteger(forKey: RequestKey.policy))
    else { return false }
    recordsToSave = coder.list(
      of: [CKRecord.self, CKShare.self], as: CKRecord.self, RequestKey.saving)
    recordIDsToDelete = coder.list(of: CKRecord.ID.self, RequestKey.deleting)
    savePolicy = policy
    isAtomic = coder.decodeBool(forKey: RequestKey.isAtomic)
    clientChangeTokenData = coder.object(NSData.self, RequestKey.clientToken) as Data?
    mayHaveStartedBefore = true
    return true
  }

  package override func conclude(_ error: CKError?) {
    let (saved, deleted) = outcome.withLock { ($0.saved, $0.deleted) }
    modifyRecordsResultBlock?(Result(error))
    olderFinalBlock?(saved, deleted, error)
  }
}

extension Result where Failure == CKError {
  /// The error; nil for success.
  var error: CKError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
