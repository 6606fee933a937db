import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Fetches zones by their names, or all of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The names of the zones; nil for all.
  open var recordZoneIDs: [CKRecordZone.ID]?

  /// Is told what became of each zone.
  open var perRecordZoneResultBlock:
    (@Sendable (CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Is told the end.
  open var fetchRecordZonesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told the end: the zones that were fetched, and the error.
  @available(*, deprecated, message: "Use fetchRecordZonesResultBlock.")
  open var fetchRecordZonesCompletionBlock:
    (@Sendable ([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  private let fetched = Mutex<[CKRecordZone.ID: CKRecordZone]>([:])

  /// An operation that fetches all zones until it is told which.
  public required override init() { super.init() }

  /// An operation that fetches zones.
  public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
  }

  /// An operation that fetches all zones.
  public class func fetchAllRecordZonesOperation() -> Self { self.init() }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    guard let recordZoneIDs else {
      for zone in try await work.allZones() { tell(zone.zoneID, .success(zone)) }
      return
    }
    var rest = recordZoneIDs[...]
    do throws(CKError) {
      try await work.zones(recordZoneIDs) { zoneID, result in
        rest = rest.dropFirst()
        errors.note(zoneID, result)
        tell(zoneID, result)
      }
    } catch {
      for zoneID in rest { tell(zoneID, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func tell(_ zoneID: CKRecordZone.ID, _ result: Result<CKRecordZone, CKError>) {
    if case .success(let zone) = result { fetched.withLock { $0[zoneID] = zone } }
    perRecordZoneResultBlock?(zoneID, result.plain)
  }

  override func failEach(_ error: CKError) {
    for zoneID in recordZoneIDs ?? [] { tell(zoneID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum WishKey {
    static let zones = "RecordZoneIDs"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: recordZoneIDs, forKey: WishKey.zones)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    recordZoneIDs = coder.list(of: CKRecordZone.ID.self, WishKey.zones)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordZonesResultBlock?(Result(error))
    olderFinalBlock?(fetched.withLock { $0 }, error)
  }
}
