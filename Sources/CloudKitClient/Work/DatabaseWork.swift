import CloudRecords
import CloudWire

/// What can be done with one database: the functions that operations, methods with completion
/// handlers and asynchronous methods stand on.
///
/// Each of them asks the server as often as it takes, and tells what became of each item, whatever
/// becomes of the others.
struct DatabaseWork: Sendable {
  let session: CloudSession
  let scope: DatabaseScope
  var options = CallOptions()
  /// Up to where feeds of zones are known: what was deleted behind it is not created again.
  var knownFeeds: [CKRecordZone.ID: String] = [:]
  /// Whether files of assets are opened that are sealed.
  var opensFiles = false
  /// Says of which records nobody needs the files; nil where all are fetched.
  var leavesFiles: (@Sendable (CKRecord) -> Bool)?
  /// What is done about the files of records that come.
  var files = Files.needed

  /// Whether a record comes without those encrypted values that cannot be opened, and does not fail
  /// for them.
  var leavesSealed = false

  /// What is done about the files of records that come.
  enum Files {
    /// They come with their record, which fails with them.
    case needed
    /// The record comes without those that cannot be had.
    case wanted
    /// The record comes without.
    case none
  }

  /// As many items as the documented protocol allows in one request.
  static let itemsPerRequest = 200

  func coding() async throws(CKError) -> RecordCoding {
    var coding = try await session.coding(options)
    coding.scope = scope
    return coding
  }

  func call<Call: DatabaseRequest>(_ call: Call) async throws(CKError) -> Call.Response {
    try await session.call(call, scope, options)
  }

  /// Handles items in pieces that the server takes: a piece that it finds too large is halved.
  func inPieces<Item>(
    _ items: [Item], of count: Int = itemsPerRequest,
    _ handle: (ArraySlice<Item>) async throws(CKError) -> Void
  ) async throws(CKError) {
    var rest = items[...]
    var size = count
    while !rest.isEmpty {
      try checkIsWanted()
      let piece = rest.prefix(size)
      do throws(CKError) {
        try await handle(piece)
        rest = rest.dropFirst(piece.count)
      } catch {
        guard error.code == .limitExceeded, piece.count > 1 else { throw error }
        size = max(1, piece.count / 2)
      }
    }
  }

  /// - Throws: Where the task was cancelled.
  func checkIsWanted() throws(CKError) {
    if Task.isCancelled { throw CKError(.operationCancelled) }
  }
}
