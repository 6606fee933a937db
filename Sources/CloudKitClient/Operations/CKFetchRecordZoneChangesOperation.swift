public import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that fetches the changes in record zones, each since its own token.
///
/// If a record fails temporarily, for example without a network or with a full disk, its zone ends
/// with that error and without a token. The next fetch reports the zone's changes again.
///
/// ```swift
/// let operation = CKFetchRecordZoneChangesOperation(
///   recordZoneIDs: [zone.zoneID],
///   configurationsByRecordZoneID: [zone.zoneID: .init(previousServerChangeToken: kept)])
/// operation.recordWasChangedBlock = { recordID, result in … }
/// operation.recordWithIDWasDeletedBlock = { recordID, recordType in … }
/// operation.recordZoneFetchResultBlock = { zoneID, result in /* keep the token */ }
/// database.add(operation)
/// ```
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Sendable: properties are set before the operation uses them.
  /// The options for one zone.
  public final class ZoneConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// The token of the previous fetch; nil to fetch everything.
    public var previousServerChangeToken: CKServerChangeToken?
    /// The maximum number of changes per request; 0 for the server's limit.
    public var resultsLimit = 0
    /// The fields to fetch; nil for all.
    public var desiredKeys: [CKRecord.FieldKey]?

    /// Creates options that fetch everything.
    public override init() { super.init() }

    /// Creates options that fetch the changes since a token.
    public convenience init(
      previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
      desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
      self.init()
      self.previousServerChangeToken = previousServerChangeToken
      self.resultsLimit = resultsLimit ?? 0
      self.desiredKeys = desiredKeys
    }

    /// Returns a copy with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
      ZoneConfiguration(
        previousServerChangeToken: previousServerChangeToken, resultsLimit: resultsLimit,
        desiredKeys: desiredKeys)
    }
  }

  /// The zones to fetch.
  open var recordZoneIDs: [CKRecordZone.ID]?
  /// The options for each zone.
  ///
  /// Zones without options are fetched completely.
  open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
  /// The options for each zone, under their former name.
  @available(*, deprecated, message: "Use configurationsByRecordZoneID.")
  open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
    get { configurationsByRecordZoneID }
    set { configurationsByRecordZoneID = newValue }
  }
  /// The options for one zone, under their former name.
  @available(*, deprecated, message: "Use ZoneConfiguration.")
  public typealias ZoneOptions = ZoneConfiguration
  /// Whether the operation continues until no more changes are available.
  open var fetchAllChanges = true

  /// Called with the result for each created or modified record.
  open var recordWasChangedBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called for each deleted record.
  open var recordWithIDWasDeletedBlock: (@Sendable (CKRecord.ID, CKRecord.RecordType) -> Void)?
  /// Called with the token of each page of a zone but the last.
  open var recordZoneChangeTokensUpdatedBlock:
    (@Sendable (CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  /// Called when a zone completes, with the last token and whether more changes are available.
  open var recordZoneFetchResultBlock:
    (
      @Sendable (
        CKRecordZone.ID,
        Result<
          (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool),
          any Error
        >
      ) -> Void
    )?
  /// Called when the operation completes.
  open var fetchRecordZoneChangesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Called for each created or modified record.
  @available(*, deprecated, message: "Use recordWasChangedBlock.")
  open var recordChangedBlock: (@Sendable (CKRecord) -> Void)? {
    get { olderRecordBlock }
    set { olderRecordBlock = newValue }
  }
  /// Called when a zone completes.
  @available(*, deprecated, message: "Use recordZoneFetchResultBlock.")
  open var recordZoneFetchCompletionBlock:
    (@Sendable (CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  {
    get { olderZoneBlock }
    set { olderZoneBlock = newValue }
  }
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use fetchRecordZoneChangesResultBlock.")
  open var fetchRecordZoneChangesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderRecordBlock: (@Sendable (CKRecord) -> Void)?
  private var olderZoneBlock:
    (@Sendable (CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that fetches the changes in zones.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.configurationsByRecordZoneID = configurationsByRecordZoneID
  }

  /// Creates an operation that fetches the changes in zones.
  @available(*, deprecated, message: "Use init(recordZoneIDs:configurationsByRecordZoneID:).")
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  ) {
    self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var requests = (recordZoneIDs ?? []).map { request($0) }
    var errors = ItemErrors()
    do throws(CKError) {
      while !requests.isEmpty {
        try work.checkCancellation()
        var next: [ZoneChangesRequest] = []
        var rest = requests[...]
        try await work.zoneChanges(requests) { request, result in
          rest = rest.dropFirst()
          errors.note(request.zoneID, result.flatMap(\.whole))
          if let more = reportResult(request, result) { next.append(more) }
          requests = Array(rest) + next
        }
        requests = next
      }
    } catch {
      for request in requests { end(request.zoneID, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func request(_ zoneID: CKRecordZone.ID) -> ZoneChangesRequest {
    let configuration = configurationsByRecordZoneID?[zoneID]
    let limit = configuration?.resultsLimit ?? 0
    return ZoneChangesRequest(
      zoneID: zoneID, since: configuration?.previousServerChangeToken,
      limit: limit > 0 ? limit : nil,
      desiredKeys: configuration?.desiredKeys)
  }

  /// Reports a page of changes.
  ///
  /// - Returns: The request for the next page; nil if the zone is complete.
  private func reportResult(_ request: ZoneChangesRequest, _ result: Result<ZoneChanges, CKError>)
    -> ZoneChangesRequest?
  {
    guard case .success(let changes) = result else {
      end(request.zoneID, result)
      return nil
    }
    for (recordID, record) in changes.records {
      recordWasChangedBlock?(recordID, record.plain)
      if case .success(let record) = record { olderRecordBlock?(record) }
    }
    for (recordID, recordType) in changes.deleted {
      recordWithIDWasDeletedBlock?(recordID, recordType)
    }
    guard changes.moreComing, fetchAllChanges, changes.failure == nil else {
      end(request.zoneID, changes.whole)
      return nil
    }
    recordZoneChangeTokensUpdatedBlock?(request.zoneID, changes.token, nil)
    var next = request
    next.since = changes.token
    return next
  }

  private func end(_ zoneID: CKRecordZone.ID, _ result: Result<ZoneChanges, CKError>) {
    switch result {
    case .success(let changes):
      recordZoneFetchResultBlock?(zoneID, .success((changes.token, nil, changes.moreComing)))
      olderZoneBlock?(zoneID, changes.token, nil, changes.moreComing, nil)
    case .failure(let error):
      recordZoneFetchResultBlock?(zoneID, .failure(error))
      olderZoneBlock?(zoneID, nil, nil, false, error)
    }
  }

  override func failEach(_ error: CKError) {
    for zoneID in recordZoneIDs ?? [] { end(zoneID, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let zones = "RecordZoneIDs"
    static let configured = "ConfiguredZoneIDs"
    static let fetchAll = "FetchAllChanges"

    static func token(_ number: Int) -> String { "Token\(number)" }
    static func limit(_ number: Int) -> String { "ResultsLimit\(number)" }
    static func desiredKeys(_ number: Int) -> String { "DesiredKeys\(number)" }
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: recordZoneIDs, forKey: RequestKey.zones)
    coder.encode(fetchAllChanges, forKey: RequestKey.fetchAll)
    let configurations = configurationsByRecordZoneID.map {
      $0.sorted { "\($0.key)" < "\($1.key)" }
    }
    coder.encode(list: configurations?.map(\.key), forKey: RequestKey.configured)
    for (number, (_, configuration)) in (configurations ?? []).enumerated() {
      if let token = configuration.previousServerChangeToken {
        coder.encode(token, forKey: RequestKey.token(number))
      }
      coder.encode(configuration.resultsLimit, forKey: RequestKey.limit(number))
      coder.encode(texts: configuration.desiredKeys, forKey: RequestKey.desiredKeys(number))
    }
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    recordZoneIDs = coder.list(of: CKRecordZone.ID.self, RequestKey.zones)
    fetchAllChanges = coder.decodeBool(forKey: RequestKey.fetchAll)
    let configured = coder.list(of: CKRecordZone.ID.self, RequestKey.configured)
    configurationsByRecordZoneID = configured.map { zones in
      Dictionary(
        zones.enumerated().map { ($1, configuration(of: $0, coder)) },
        uniquingKeysWith: { first, _ in first })
    }
    return true
  }

  private func configuration(of number: Int, _ coder: NSCoder) -> ZoneConfiguration {
    ZoneConfiguration(
      previousServerChangeToken: coder.object(CKServerChangeToken.self, RequestKey.token(number)),
      resultsLimit: coder.decodeInteger(forKey: RequestKey.limit(number)),
      desiredKeys: coder.texts(RequestKey.desiredKeys(number)))
  }

  package override func conclude(_ error: CKError?) {
    fetchRecordZoneChangesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
