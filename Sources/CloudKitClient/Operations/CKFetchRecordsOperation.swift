import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Fetches records by their names.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The names of the records.
  open var recordIDs: [CKRecord.ID]?
  /// The fields that are fetched; nil for all, and none for the records' system fields alone.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// Is told how much of a record's files has come, from 0 to 1.
  open var perRecordProgressBlock: (@Sendable (CKRecord.ID, Double) -> Void)?
  /// Is told what became of each record.
  open var perRecordResultBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Is told the end.
  open var fetchRecordsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Is told what became of each record.
  @available(*, deprecated, message: "Use perRecordResultBlock.")
  open var perRecordCompletionBlock: (@Sendable (CKRecord?, CKRecord.ID?, (any Error)?) -> Void)? {
    get { olderPerRecordBlock }
    set { olderPerRecordBlock = newValue }
  }
  /// Is told the end: the records that were fetched, and the error.
  @available(*, deprecated, message: "Use fetchRecordsResultBlock.")
  open var fetchRecordsCompletionBlock:
    (@Sendable ([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderPerRecordBlock: (@Sendable (CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
  private var olderFinalBlock: (@Sendable ([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
  private var isForCurrentUser = false
  private let fetched = Mutex<[CKRecord.ID: CKRecord]>([:])

  /// An operation that does nothing until it is told what.
  public required override init() { super.init() }

  /// An operation that fetches records.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// An operation that fetches the record of whoever is signed in.
  ///
  /// Where it is told no database, it asks the public one, where records of users are.
  public class func fetchCurrentUserRecordOperation() -> Self {
    let operation = self.init()
    operation.isForCurrentUser = true
    return operation
  }

  // Records of users are everybody's: other databases have none.
  override var usualScope: CKDatabaseScope { isForCurrentUser ? .public : .private }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var wanted = recordIDs ?? []
    if isForCurrentUser {
      guard let name = try await work.session.userRecordName(work.options) else {
        throw CKError(
          .notAuthenticated, "Nobody is signed in, so that there is no record of theirs.")
      }
      wanted = [CKRecord.ID(received: name, zoneID: .default)]
    }
    var errors = ItemErrors()
    var rest = wanted[...]
    do throws(CKError) {
      try await work.records(wanted, desiredKeys: desiredKeys, progress: perRecordProgressBlock) {
        recordID, result in
        rest = rest.dropFirst()
        errors.note(recordID, result)
        tell(recordID, result)
      }
    } catch {
      for recordID in rest { tell(recordID, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func tell(_ recordID: CKRecord.ID, _ result: Result<CKRecord, CKError>) {
    if case .success(let record) = result { fetched.withLock { $0[recordID] = record } }
    perRecordResultBlock?(recordID, result.plain)
    olderPerRecordBlock?(try? result.get(), recordID, result.error)
  }

  override func failEach(_ error: CKError) {
    for recordID in recordIDs ?? [] { tell(recordID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum WishKey {
    static let records = "RecordIDs"
    static let desiredKeys = "DesiredKeys"
    static let isForCurrentUser = "IsForCurrentUser"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: recordIDs, forKey: WishKey.records)
    coder.encode(texts: desiredKeys, forKey: WishKey.desiredKeys)
    coder.encode(isForCurrentUser, forKey: WishKey.isForCurrentUser)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    recordIDs = coder.list(of: CKRecord.ID.self, WishKey.records)
    desiredKeys = coder.texts(WishKey.desiredKeys)
    isForCurrentUser = coder.decodeBool(forKey: WishKey.isForCurrentUser)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordsResultBlock?(Result(error))
    olderFinalBlock?(fetched.withLock { $0 }, error)
  }
}
