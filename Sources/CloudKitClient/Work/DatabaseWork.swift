import CloudRecords
import CloudWire

/// The requests to one database, shared by operations, asynchronous methods and completion
/// handlers.
///
/// Each method sends as many requests as necessary and reports a result for each item, independent
/// of the others.
struct DatabaseWork: Sendable {
  let session: CloudSession
  let scope: DatabaseScope
  var options = CallOptions()
  /// The change token that the client has reached in each zone.
  ///
  /// Parhelion's servers do not recreate records that were deleted after the token, so a late retry
  /// restores nothing.
  var knownFeeds: [CKRecordZone.ID: String] = [:]
  /// Whether sealed asset files are decrypted.
  var opensFiles = false
  /// Returns whether a record's asset files can be left out; nil to download all.
  var leavesFiles: (@Sendable (CKRecord) -> Bool)?
  /// The handling of asset files.
  var files = Files.needed

  /// Whether a record is returned without the encrypted values that cannot be decrypted, instead of
  /// failing.
  var leavesSealed = false

  /// The handling of the asset files of fetched records.
  enum Files {
    /// All files are required. The record fails if one is unavailable.
    case needed
    /// The record is returned without unavailable files.
    case wanted
    /// No files are downloaded.
    case none
  }

  /// The protocol's limit of items in one request.
  static let itemsPerRequest = 200

  func coding() async throws(CKError) -> RecordCoding {
    var coding = try await session.coding(options)
    coding.scope = scope
    return coding
  }

  func call<Call: DatabaseRequest>(_ call: Call) async throws(CKError) -> Call.Response {
    try await session.call(call, scope, options)
  }

  /// Processes items in batches.
  ///
  /// A batch that is too large for the server is split in half.
  func inBatches<Item>(
    _ items: [Item], of count: Int = itemsPerRequest,
    _ handle: (ArraySlice<Item>) async throws(CKError) -> Void
  ) async throws(CKError) {
    var rest = items[...]
    var size = count
    while !rest.isEmpty {
      try checkCancellation()
      let batch = rest.prefix(size)
      do throws(CKError) {
        try await handle(batch)
        rest = rest.dropFirst(batch.count)
      } catch {
        guard error.code == .limitExceeded, batch.count > 1 else { throw error }
        size = max(1, batch.count / 2)
      }
    }
  }

  /// Throws if the task was cancelled.
  func checkCancellation() throws(CKError) {
    if Task.isCancelled { throw CKError(.operationCancelled) }
  }
}
