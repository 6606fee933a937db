import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that fetches records by their IDs.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The records to fetch.
  open var recordIDs: [CKRecord.ID]?
  /// The fields to fetch; nil for all, empty for the system fields alone.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// Called with the progress of a record's file downloads, from 0 to 1.
  open var perRecordProgressBlock: (@Sendable (CKRecord.ID, Double) -> Void)?
  /// Called with the result for each record.
  open var perRecordResultBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called when the operation completes.
  open var fetchRecordsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Called with the result for each record.
  @available(*, deprecated, message: "Use perRecordResultBlock.")
  open var perRecordCompletionBlock: (@Sendable (CKRecord?, CKRecord.ID?, (any Error)?) -> Void)? {
    get { olderPerRecordBlock }
    set { olderPerRecordBlock = newValue }
  }
  /// Called when the operation completes, with the fetched records and the error.
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

  /// Creates an empty operation.
  public required override init() { super.init() }

  /// Creates an operation that fetches records.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// Creates an operation that fetches the record of the current user.
  ///
  /// If no database is set, the operation uses the public database, which contains the user
  /// records.
  public class func fetchCurrentUserRecordOperation() -> Self {
    let operation = self.init()
    operation.isForCurrentUser = true
    return operation
  }

  override var usualScope: CKDatabaseScope { isForCurrentUser ? .public : .private }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var wanted = recordIDs ?? []
    if isForCurrentUser {
      guard let name = try await work.session.userRecordName(work.options) else {
        throw CKError(.notAuthenticated, "No user is signed in, so there is no user record.")
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
        reportResult(recordID, result)
      }
    } catch {
      for recordID in rest { reportResult(recordID, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func reportResult(_ recordID: CKRecord.ID, _ result: Result<CKRecord, CKError>) {
    if case .success(let record) = result { fetched.withLock { $0[recordID] = record } }
    perRecordResultBlock?(recordID, result.plain)
    olderPerRecordBlock?(try? result.get(), recordID, result.error)
  }

  override func failEach(_ error: CKError) {
    for recordID in recordIDs ?? [] { reportResult(recordID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let records = "RecordIDs"
    static let desiredKeys = "DesiredKeys"
    static let isForCurrentUser = "IsForCurrentUser"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: recordIDs, forKey: RequestKey.records)
    coder.encode(texts: desiredKeys, forKey: RequestKey.desiredKeys)
    coder.encode(isForCurrentUser, forKey: RequestKey.isForCurrentUser)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    recordIDs = coder.list(of: CKRecord.ID.self, RequestKey.records)
    desiredKeys = coder.texts(RequestKey.desiredKeys)
    isForCurrentUser = coder.decodeBool(forKey: RequestKey.isForCurrentUser)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordsResultBlock?(Result(error))
    olderFinalBlock?(fetched.withLock { $0 }, error)
  }
}
