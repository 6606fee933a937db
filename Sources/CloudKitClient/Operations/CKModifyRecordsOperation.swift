public import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Saves and deletes records.
///
/// In zones that somebody made, all records of a zone are saved or none, unless ``isAtomic`` says
/// otherwise.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// What is done about records that somebody else has saved since they were fetched.
  public enum RecordSavePolicy: Int, Sendable {
    /// They are not saved, and a conflict is told.
    case ifServerRecordUnchanged = 0
    /// The fields that were set are saved, whatever the server has.
    case changedKeys = 1
    /// All fields are saved, whatever the server has.
    case allKeys = 2
  }

  /// The records to save.
  open var recordsToSave: [CKRecord]?
  /// The names of the records to delete.
  open var recordIDsToDelete: [CKRecord.ID]?
  /// What is done about records that somebody else has saved.
  open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// A name of the program's for what it sends: it stays with the operation, also with one that a
  /// later process carries on.
  ///
  /// CloudKit's web protocol has no place for it, so that the server does not know it: blocks that
  /// tell places in feeds tell nil in its place. What has arrived, the blocks of this operation
  /// say.
  open var clientChangeTokenData: Data?
  /// Whether the records of a zone are saved and deleted all or none.
  open var isAtomic = true

  /// Is told how much of a record and its files was sent, from 0 to 1.
  open var perRecordProgressBlock: (@Sendable (CKRecord, Double) -> Void)?
  /// Is told what became of each record that was to be saved.
  open var perRecordSaveBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Is told what became of each record that was to be deleted.
  open var perRecordDeleteBlock: (@Sendable (CKRecord.ID, Result<Void, any Error>) -> Void)?
  /// Is told the end.
  open var modifyRecordsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Is told what became of each record that was to be saved.
  @available(*, deprecated, message: "Use perRecordSaveBlock.")
  open var perRecordCompletionBlock: (@Sendable (CKRecord, (any Error)?) -> Void)? {
    get { olderPerRecordBlock }
    set { olderPerRecordBlock = newValue }
  }
  /// Is told the end: the records that were saved, the names of those that were deleted, and the
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
  /// Whether a former process has perhaps done some of it.
  private var wasBegunBefore = false
  private let outcome = Mutex(Outcome())

  private struct Outcome {
    var saved: [CKRecord] = []
    var deleted: [CKRecord.ID] = []
    var errors = ItemErrors()
  }

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that saves and deletes.
  public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil)
  {
    self.init()
    self.recordsToSave = recordsToSave
    self.recordIDsToDelete = recordIDsToDelete
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    let report = RecordModification.Report(
      progress: { [perRecordProgressBlock] in perRecordProgressBlock?($0, $1) },
      saved: { [self, given] in tell($0, $1, given) }, deleted: { [self] in tellDeleted($0, $1) })
    try await RecordModification(
      work: work, policy: savePolicy, isAtomic: isAtomic, wasBegunBefore: wasBegunBefore,
      report: report
    )
    .run(saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [])
    try outcome.withLock { $0.errors }.check()
  }

  override func failEach(_ error: CKError) {
    for record in recordsToSave ?? [] { tell(record.recordID, .failure(error), given) }
    for recordID in recordIDsToDelete ?? [] { tellDeleted(recordID, .failure(error)) }
  }

  /// The program's records, by their names.
  private var given: [CKRecord.ID: CKRecord] {
    Dictionary(
      recordsToSave?.map { ($0.recordID, $0) } ?? [], uniquingKeysWith: { first, _ in first })
  }

  private func tell(
    _ recordID: CKRecord.ID, _ result: Result<CKRecord, CKError>, _ given: [CKRecord.ID: CKRecord]
  ) {
    outcome.withLock { outcome in
      outcome.errors.note(recordID, result)
      if case .success(let record) = result { outcome.saved.append(record) }
    }
    perRecordSaveBlock?(recordID, result.plain)
    if let record = given[recordID] { olderPerRecordBlock?(record, result.error) }
  }

  private func tellDeleted(_ recordID: CKRecord.ID, _ result: Result<Void, CKError>) {
    outcome.withLock { outcome in
      outcome.errors.note(recordID, result)
      if case .success = result { outcome.deleted.append(recordID) }
    }
    perRecordDeleteBlock?(recordID, result.plain)
  }

  // MARK: Long-lived operations

  private enum WishKey {
    static let saving = "RecordsToSave"
    static let deleting = "RecordIDsToDelete"
    static let policy = "SavePolicy"
    static let isAtomic = "IsAtomic"
    static let clientToken = "ClientChangeTokenData"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: recordsToSave, forKey: WishKey.saving)
    coder.encode(list: recordIDsToDelete, forKey: WishKey.deleting)
    coder.encode(savePolicy.rawValue, forKey: WishKey.policy)
    coder.encode(isAtomic, forKey: WishKey.isAtomic)
    if let clientChangeTokenData {
      coder.encode(clientChangeTokenData as NSData, forKey: WishKey.clientToken)
    }
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    guard let policy = RecordSavePolicy(rawValue: coder.decodeInteger(forKey: WishKey.policy))
    else { return false }
    recordsToSave = coder.list(
      of: [CKRecord.self, CKShare.self], as: CKRecord.self, WishKey.saving)
    recordIDsToDelete = coder.list(of: CKRecord.ID.self, WishKey.deleting)
    savePolicy = policy
    isAtomic = coder.decodeBool(forKey: WishKey.isAtomic)
    clientChangeTokenData = coder.object(NSData.self, WishKey.clientToken) as Data?
    wasBegunBefore = true
    return true
  }

  package override func conclude(_ error: CKError?) {
    let (saved, deleted) = outcome.withLock { ($0.saved, $0.deleted) }
    modifyRecordsResultBlock?(Result(error))
    olderFinalBlock?(saved, deleted, error)
  }
}

extension Result where Failure == CKError {
  /// What went wrong, where something did.
  var error: CKError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
