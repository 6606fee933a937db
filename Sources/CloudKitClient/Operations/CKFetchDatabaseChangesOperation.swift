import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that fetches the zones of a database that changed since a token.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The token of the previous fetch; nil to fetch everything.
  open var previousServerChangeToken: CKServerChangeToken?
  /// The maximum number of zones per request; 0 for the server's limit.
  open var resultsLimit = 0
  /// Whether the operation continues until no more changes are available.
  open var fetchAllChanges = true

  /// Called for each zone with changes.
  open var recordZoneWithIDChangedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Called for each deleted zone.
  open var recordZoneWithIDWasDeletedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Called for each zone that was deleted because the user deleted the app's data.
  ///
  /// If the block is nil, or the server does not report the reason,
  /// ``recordZoneWithIDWasDeletedBlock`` is called instead.
  open var recordZoneWithIDWasPurgedBlock: (@Sendable (CKRecordZone.ID) -> Void)?
  /// Called for each zone that was deleted because the user reset the encrypted data.
  ///
  /// If the block is nil, or the server does not report the reason,
  /// ``recordZoneWithIDWasDeletedBlock`` is called instead.
  open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock:
    (@Sendable (CKRecordZone.ID) -> Void)?
  /// Called with the token of each page but the last.
  open var changeTokenUpdatedBlock: (@Sendable (CKServerChangeToken) -> Void)?
  /// Called when the operation completes, with the last token and whether more changes are
  /// available.
  open var fetchDatabaseChangesResultBlock:
    (
      @Sendable (Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) ->
        Void
    )?
  /// Called when the operation completes, with the last token, whether more changes are available,
  /// and the error.
  @available(*, deprecated, message: "Use fetchDatabaseChangesResultBlock.")
  open var fetchDatabaseChangesCompletionBlock:
    (@Sendable (CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable (CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  private let end = Mutex<(token: CKServerChangeToken?, moreComing: Bool)>((nil, false))

  /// Creates an operation that fetches everything.
  public override init() { super.init() }

  /// Creates an operation that fetches the changes since a token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var place = previousServerChangeToken
    while true {
      try work.checkCancellation()
      let page = try await work.databaseChanges(
        since: place, limit: resultsLimit > 0 ? resultsLimit : nil)
      for zoneID in page.changed { recordZoneWithIDChangedBlock?(zoneID) }
      for deletion in page.deleted { reportDeletion(deletion.zoneID, deletion.reason) }
      place = page.token
      end.withLock { $0 = (page.token, page.moreComing) }
      guard page.moreComing, fetchAllChanges else { return }
      changeTokenUpdatedBlock?(page.token)
    }
  }

  private func reportDeletion(
    _ zoneID: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason
  ) {
    switch reason {
    case .deleted: recordZoneWithIDWasDeletedBlock?(zoneID)
    case .purged: (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(zoneID)
    case .encryptedDataReset:
      (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock)?(
        zoneID)
    }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let token = "PreviousServerChangeToken"
    static let limit = "ResultsLimit"
    static let fetchAll = "FetchAllChanges"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    if let previousServerChangeToken {
      coder.encode(previousServerChangeToken, forKey: RequestKey.token)
    }
    coder.encode(resultsLimit, forKey: RequestKey.limit)
    coder.encode(fetchAllChanges, forKey: RequestKey.fetchAll)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    previousServerChangeToken = coder.object(CKServerChangeToken.self, RequestKey.token)
    resultsLimit = coder.decodeInteger(forKey: RequestKey.limit)
    fetchAllChanges = coder.decodeBool(forKey: RequestKey.fetchAll)
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
