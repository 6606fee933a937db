import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that fetches record zones by their IDs, or all zones of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to fetch; nil for all.
  open var recordZoneIDs: [CKRecordZone.ID]?

  /// Called with the result for each zone.
  open var perRecordZoneResultBlock:
    (@Sendable (CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called when the operation completes.
  open var fetchRecordZonesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes, with the fetched zones and the error.
  @available(*, deprecated, message: "Use fetchRecordZonesResultBlock.")
  open var fetchRecordZonesCompletionBlock:
    (@Sendable ([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  private let fetched = Mutex<[CKRecordZone.ID: CKRecordZone]>([:])

  /// Creates an operation that fetches all zones.
  public required override init() { super.init() }

  /// Creates an operation that fetches zones.
  public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
  }

  /// Creates an operation that fetches all zones.
  public class func fetchAllRecordZonesOperation() -> Self { self.init() }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    guard let recordZoneIDs else {
      for zone in try await work.allZones() { reportResult(zone.zoneID, .success(zone)) }
      return
    }
    var rest = recordZoneIDs[...]
    do throws(CKError) {
      try await work.zones(recordZoneIDs) { zoneID, result in
        rest = rest.dropFirst()
        errors.note(zoneID, result)
        reportResult(zoneID, result)
      }
    } catch {
      for zoneID in rest { reportResult(zoneID, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func reportResult(_ zoneID: CKRecordZone.ID, _ result: Result<CKRecordZone, CKError>) {
    if case .success(let zone) = result { fetched.withLock { $0[zoneID] = zone } }
    perRecordZoneResultBlock?(zoneID, result.plain)
  }

  override func failEach(_ error: CKError) {
    for zoneID in recordZoneIDs ?? [] { reportResult(zoneID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let zones = "RecordZoneIDs"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: recordZoneIDs, forKey: RequestKey.zones)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    recordZoneIDs = coder.list(of: CKRecordZone.ID.self, RequestKey.zones)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordZonesResultBlock?(Result(error))
    olderFinalBlock?(fetched.withLock { $0 }, error)
  }
}
