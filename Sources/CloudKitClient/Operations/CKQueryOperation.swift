import CloudWire
public import Foundation
import JSONCoding
import Synchronization

extension CKQueryOperation {
  /// Where a query goes on.
  public typealias Cursor = CKQueryCursor
}

// Sendable: immutable.
/// Where a query goes on: `CKQueryOperation.Cursor`.
///
/// It is good for a while, for the user and the query that it belongs to.
public final class CKQueryCursor: NSObject, NSCopying, NSSecureCoding, Sendable {
  let place: QueryPlace

  init(_ place: QueryPlace) { self.place = place }

  // MARK: Archives

  /// Reads a cursor from an archive; nil where it holds none.
  ///
  /// The server forgets after a while where a query goes on.
  public convenience init?(coder: NSCoder) {
    guard let query = coder.object(NSData.self, Key.query),
      let input = try? JSONReader.read(
        Array(query as Data), { reader throws(JSONError) in try QueryInput(from: &reader) })
    else { return nil }
    self.init(
      QueryPlace(
        input: input, zoneID: coder.object(CKRecordZone.ID.self, Key.zone),
        marker: coder.text(Key.marker)))
  }

  /// Writes the cursor into an archive.
  public func encode(with coder: NSCoder) {
    var writer = JSONWriter()
    place.input.write(to: &writer)
    coder.encode(Data(writer.array()) as NSData, forKey: Key.query)
    coder.encode(place.zoneID, forKey: Key.zone)
    coder.encode(place.marker as NSString?, forKey: Key.marker)
  }

  private enum Key {
    static let query = "Query"
    static let zone = "ZoneID"
    static let marker = "ContinuationMarker"
  }

  /// True.
  public static var supportsSecureCoding: Bool { true }

  /// The cursor itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

// Sendable: the program sets properties before it adds the operation.
/// Finds records that a query describes.
///
/// The operation fetches one page after the other until it has as many records as it wants, and
/// ends with a cursor where there are more.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  /// As many records as the server gives at once.
  public static let maximumResults = 0

  /// What to look for.
  open var query: CKQuery?
  /// Where an earlier operation ended.
  open var cursor: CKQueryOperation.Cursor?
  /// The zone to look in; nil for all zones of the database.
  open var zoneID: CKRecordZone.ID?
  /// How many records are fetched at most.
  open var resultsLimit = CKQueryOperation.maximumResults
  /// The fields that are fetched; nil for all, and none for the records' system fields alone.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// Is told of each record that was found.
  open var recordMatchedBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Is told the end: where to go on, where there are more records.
  open var queryResultBlock: (@Sendable (Result<CKQueryOperation.Cursor?, any Error>) -> Void)?

  /// Is told of each record that was found.
  @available(*, deprecated, message: "Use recordMatchedBlock.")
  open var recordFetchedBlock: (@Sendable (CKRecord) -> Void)? {
    get { olderRecordBlock }
    set { olderRecordBlock = newValue }
  }
  /// Is told the end: where to go on, where there are more records, and the error.
  @available(*, deprecated, message: "Use queryResultBlock.")
  open var queryCompletionBlock: (@Sendable (CKQueryOperation.Cursor?, (any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderRecordBlock: (@Sendable (CKRecord) -> Void)?
  private var olderFinalBlock: (@Sendable (CKQueryOperation.Cursor?, (any Error)?) -> Void)?
  private let next = Mutex<CKQueryOperation.Cursor?>(nil)

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that finds what a query describes.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// An operation that goes on where another one ended.
  public convenience init(cursor: CKQueryOperation.Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    let begin: QueryPlace
    if let cursor {
      begin = cursor.place
    } else if let query {
      begin = try await work.place(of: query, in: zoneID)
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

  private enum WishKey {
    static let query = "Query"
    static let cursor = "Cursor"
    static let zone = "ZoneID"
    static let limit = "ResultsLimit"
    static let desiredKeys = "DesiredKeys"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    if let query { coder.encode(query, forKey: WishKey.query) }
    if let cursor { coder.encode(cursor, forKey: WishKey.cursor) }
    if let zoneID { coder.encode(zoneID, forKey: WishKey.zone) }
    coder.encode(resultsLimit, forKey: WishKey.limit)
    coder.encode(texts: desiredKeys, forKey: WishKey.desiredKeys)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    query = coder.object(CKQuery.self, WishKey.query)
    cursor = coder.object(CKQueryCursor.self, WishKey.cursor)
    zoneID = coder.object(CKRecordZone.ID.self, WishKey.zone)
    resultsLimit = coder.decodeInteger(forKey: WishKey.limit)
    desiredKeys = coder.texts(WishKey.desiredKeys)
    return query != nil || cursor != nil
  }

  package override func conclude(_ error: CKError?) {
    let cursor = next.withLock { $0 }
    queryResultBlock?(error.map { .failure($0) } ?? .success(cursor))
    olderFinalBlock?(cursor, error)
  }
}
