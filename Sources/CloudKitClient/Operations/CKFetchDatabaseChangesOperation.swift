import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Fetches which zones of a private or shared database changed since a place.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The place where an earlier operation ended; nil for everything.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many zones the server tells of at once; 0 for as many as it likes.
  open var resultsLimit = 0
  /// Whether the operation goes on until there are no more changes.
  open var fetchAllChanges = true

  /// Is told of each zone in which something changed.
  open var recordZoneWithIDChangedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Is told of each zone that was deleted.
  open var recordZoneWithIDWasDeletedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Is told of each zone whose data the user has deleted in the system's settings, where the
  /// server says so.
  open var recordZoneWithIDWasPurgedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Is told of each zone whose encrypted values nobody has keys for any more, where the server
  /// says so.
  open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock:
    (@Sendable (CKRecordZone.ID) -> Void)?
  /// Is told of each place before which everything was told.
  open var changeTokenUpdatedBlock: (@Sendable (CKServerChangeToken) -> Void)?
  /// Is told the end: the last place, and whether there is more.
  open var fetchDatabaseChangesResultBlock:
    (
      @Sendable (Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) ->
        Void
    )?
  /// Is told the end: the last place, whether there is more, and the error.
  @available(*, deprecated, message: "Use fetchDatabaseChangesResultBlock.")
  open var fetchDatabaseChangesCompletionBlock:
    (@Sendable (CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable (CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  private let end = Mutex<(token: CKServerChangeToken?, moreComing: Bool)>((nil, false))

  /// An operation that fetches everything until it is told since when.
  public override init() { super.init() }

  /// An operation that fetches what changed since a place.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var place = previousServerChangeToken
    while true {
      try work.checkIsWanted()
      let page = try await work.databaseChanges(
        since: place, limit: resultsLimit > 0 ? resultsLimit : nil)
      for zoneID in page.changed { recordZoneWithIDChangedBlock?(zoneID) }
      for deletion in page.deleted { tell(deletion.zoneID, deletion.reason) }
      place = page.token
      end.withLock { $0 = (page.token, page.moreComing) }
      guard page.moreComing, fetchAllChanges else { return }
      changeTokenUpdatedBlock?(page.token)
    }
  }

  private func tell(_ zoneID: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason)
  {
    switch reason {
    case .deleted: recordZoneWithIDWasDeletedBlock?(zoneID)
    case .purged: (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(zoneID)
    case .encryptedDataReset:
      (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock)?(
        zoneID)
    }
  }

  // MARK: Long-lived operations

  private enum WishKey {
    static let token = "PreviousServerChangeToken"
    static let limit = "ResultsLimit"
    static let fetchAll = "FetchAllChanges"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    if let previousServerChangeToken {
      coder.encode(previousServerChangeToken, forKey: WishKey.token)
    }
    coder.encode(resultsLimit, forKey: WishKey.limit)
    coder.encode(fetchAllChanges, forKey: WishKey.fetchAll)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    previousServerChangeToken = coder.object(CKServerChangeToken.self, WishKey.token)
    resultsLimit = coder.decodeInteger(forKey: WishKey.limit)
    fetchAllChanges = coder.decodeBool(forKey: WishKey.fetchAll)
    return true
  }

  package override func conclude(_ error: CKError?) {
    let end = end.withLock { $0 }
    if let error {
      fetchDatabaseChangesResultBlock?(.failure(error))
    } else if let token = end.token {
      fetchDatabaseChangesResultBlock?(
        .success((serverChangeToken: token, moreComing: end.moreComing)))
    }
    olderFinalBlock?(end.token, end.moreComing, error)
  }
}
