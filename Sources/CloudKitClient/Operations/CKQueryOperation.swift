import CloudWire
public import Foundation
import JSONCoding
import Synchronization

extension CKQueryOperation {
  /// The position where a query continues.
  public typealias Cursor = CKQueryCursor
}

// Sendable: immutable.
/// The position where a query continues; also available as `CKQueryOperation.Cursor`.
///
/// A cursor is valid for a limited time, for its user and its query.
public final class CKQueryCursor: NSObject, NSCopying, NSSecureCoding, Sendable {
  let position: QueryPosition

  init(_ position: QueryPosition) { self.position = position }

  // MARK: Archives

  /// Creates a cursor from an archive; nil if the archive contains none.
  ///
  /// The server may have discarded the cursor's position in the meantime.
  public convenience init?(coder: NSCoder) {
    guard let query = coder.object(NSData.self, Key.query),
      let input = try? JSONReader.read(
        Array(query as Data), { reader throws(JSONError) in try QueryInput(from: &reader) })
    else { return nil }
    self.init(
      QueryPosition(
        input: input, zoneID: coder.object(CKRecordZone.ID.self, Key.zone),
        marker: coder.text(Key.marker)))
  }

  /// Encodes the cursor into an archive.
  public func encode(with coder: NSCoder) {
    var writer = JSONWriter()
    position.input.write(to: &writer)
    coder.encode(Data(writer.array()) as NSData, forKey: Key.query)
    coder.encode(position.zoneID, forKey: Key.zone)
    coder.encode(position.marker as NSString?, forKey: Key.marker)
  }

  private enum Key {
    static let query = "Query"
    static let zone = "ZoneID"
    static let marker = "ContinuationMarker"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the cursor itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

// Sendable: properties are set before the operation is added.
/// An operation that fetches the records that match a query.
///
/// The operation fetches pages until it has reached `resultsLimit`, or one page if there is no
/// limit. It ends with a cursor if there are more results.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The value of `resultsLimit` for one page of the server's size.
  public static let maximumResults = 0

  /// The query.
  open var query: CKQuery?
  /// The cursor of an earlier operation.
  open var cursor: CKQueryOperation.Cursor?
  /// The zone to search; nil for all zones of the database.
  open var zoneID: CKRecordZone.ID?
  /// The maximum number of records.
  open var resultsLimit = CKQueryOperation.maximumResults
  /// The fields to fetch; nil for all, empty for the system fields alone.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// Called with the result for each matching record.
  open var recordMatchedBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called when the operation completes, with a cursor if there are more results.
  open var queryResultBlock: (@Sendable (Result<CKQueryOperation.Cursor?, any Error>) -> Void)?

  /// Called for each matching record.
  @available(*, deprecated, message: "Use recordMatchedBlock.")
  open var recordFetchedBlock: (@Sendable (CKRecord) -> Void)? {
    get { olderRecordBlock }
    set { olderRecordBlock = newValue }
  }
  /// Called when the operation completes, with a cursor if there are more results, and the error.
  @available(*, deprecated, message: "Use queryResultBlock.")
  open var queryCompletionBlock: (@Sendable (CKQueryOperation.Cursor?, (any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderRecordBlock: (@Sendable (CKRecord) -> Void)?
  private var olderFinalBlock: (@Sendable (CKQueryOperation.Cursor?, (any Error)?) -> Void)?
  private let next = Mutex<CKQueryOperation.Cursor?>(nil)

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that performs a query.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// Creates an operation that continues from a cursor.
  public convenience init(cursor: CKQueryOperation.Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    let begin: QueryPosition
    if let cursor {
      begin = cursor.position
    } else if let query {
      begin = try await work.position(of: query, in: zoneID)
    } else {
      throw CKError(.invalidArguments, "The operation has neither a query nor a cursor.")
    }
    let limit = resultsLimit > 0 ? resultsLimit : nil
    let end = await work.query(begin, desiredKeys: desiredKeys, limit: limit) { recordID, result in
      recordMatchedBlock?(recordID, result.plain)
      if case .success(let record) = result { olderRecordBlock?(record) }
    }
    if let failure = end.failure { throw failure }
    next.withLock { $0 = end.next.map { CKQueryCursor($0) } }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let query = "Query"
    static let cursor = "Cursor"
    static let zone = "ZoneID"
    static let limit = "ResultsLimit"
    static let desiredKeys = "DesiredKeys"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    if let query { coder.encode(query, forKey: RequestKey.query) }
    if let cursor { coder.encode(cursor, forKey: RequestKey.cursor) }
    if let zoneID { coder.encode(zoneID, forKey: RequestKey.zone) }
    coder.encode(resultsLimit, forKey: RequestKey.limit)
    coder.encode(texts: desiredKeys, forKey: RequestKey.desiredKeys)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    query = coder.object(CKQuery.self, RequestKey.query)
    cursor = coder.object(CKQueryCursor.self, RequestKey.cursor)
    zoneID = coder.object(CKRecordZone.ID.self, RequestKey.zone)
    resultsLimit = coder.decodeInteger(forKey: RequestKey.limit)
    desiredKeys = coder.texts(RequestKey.desiredKeys)
    return query != nil || cursor != nil
  }

  package override func conclude(_ error: CKError?) {
    let cursor = next.withLock { $0 }
    queryResultBlock?(error.map { .failure($0) } ?? .success(cursor))
    olderFinalBlock?(cursor, error)
  }
}
