import CloudRecords
import Foundation

/// An operation on one of a container's databases: use one of the subclasses.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// The database; adding the operation to one sets it.
  ///
  /// Where nothing is said, it is the private one of the configuration's container, or of the default one.
  open var database: CKDatabase?

  /// What the operation does its work with.
  ///
  /// - Throws: What is wrong with the container's configuration.
  func work() throws(CKError) -> DatabaseWork {
    var work = try askedDatabase.work()
    work.options = callOptions(at: work.session.surroundings.now())
    return work
  }

  private var askedDatabase: CKDatabase {
    database ?? (effectiveConfiguration.container ?? CKContainer.default()).privateCloudDatabase
  }

  // MARK: Long-lived operations

  /// Whether the operation was fetched by its name, so that it stays kept until it has ended.
  final var wasKept = false

  /// Writes what the operation asks for; false where that cannot be kept for a later process.
  func encodeWish(with coder: NSCoder) -> Bool { false }

  /// Reads what `encodeWish(with:)` wrote; false where that is damaged.
  func decodeWish(from coder: NSCoder) -> Bool { false }

  override func forgetWish() {
    guard wasKept else { return }
    // Where the container is bound to nothing any more, nothing of it can be listed either.
    try? askedDatabase.container.binding().longLived.forget(operationID)
  }

  override func becomeLongLived() async throws(CKError) -> LongLivedOperations? {
    let database = askedDatabase
    let binding = try database.container.binding()
    let archive = OperationArchive(self, in: database.databaseScope, for: try binding.caller())
    if await binding.longLived.begin(operationID, archive) { longLivedOperationWasPersistedBlock?() }
    return binding.longLived
  }
}

/// Collects what went wrong with single items, for the error of the whole.
struct ItemErrors {
  private(set) var errors: [AnyHashable: any Error] = [:]

  mutating func note<Value>(_ item: AnyHashable, _ result: Result<Value, CKError>) {
    if case .failure(let error) = result { errors[item] = error }
  }

  /// - Throws: A partial failure, where there was one.
  func check() throws(CKError) {
    guard !errors.isEmpty else { return }
    throw CKError(
      .partialFailure,
      userInfo: [
        CKPartialErrorsByItemIDKey: errors as NSDictionary,
        NSLocalizedDescriptionKey: "\(errors.count) of the items failed: see partialErrorsByItemID.",
      ])
  }
}

extension Result where Failure == CKError {
  /// The result as Apple's blocks have it.
  var plain: Result<Success, any Error> { mapError { $0 } }
}

extension Result where Success == Void, Failure == any Error {
  /// The end of an operation, as its result block has it.
  ///
  /// Who has that block has those for single items as well, and hears there what failed: a partial failure is for the older blocks alone.
  init(_ error: CKError?) {
    switch error {
    case let error? where error.code != .partialFailure: self = .failure(error)
    default: self = .success(())
    }
  }
}
