import CloudRecords
import Foundation

/// The base class of operations on a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// The database that the operation uses; `CKDatabase.add(_:)` sets it.
  ///
  /// The default is the private database of the configuration's container, or of the default
  /// container. For an operation that fetches the current user's record, the default is the public
  /// database.
  open var database: CKDatabase?

  override func makeWork() throws(CKError) -> DatabaseWork { try askedDatabase.work() }

  /// The database of the requests: `database`, or its default if it is nil.
  final var askedDatabase: CKDatabase {
    database
      ?? (effectiveConfiguration.container ?? CKContainer.default()).database(with: usualScope)
  }

  /// The scope that is used if `database` is nil.
  var usualScope: CKDatabaseScope { .private }

  override var askedContainer: CKContainer { askedDatabase.container }

  override var askedScope: CKDatabaseScope? { askedDatabase.databaseScope }
}

/// Collects the errors of single items for a partial failure.
struct ItemErrors {
  private(set) var errors: [AnyHashable: any Error] = [:]

  mutating func note<Value, Failure>(_ item: AnyHashable, _ result: Result<Value, Failure>) {
    if case .failure(let error) = result { errors[item] = error }
  }

  /// Throws a partial failure if any item failed.
  func check() throws(CKError) {
    guard !errors.isEmpty else { return }
    throw CKError(
      .partialFailure,
      userInfo: [
        CKPartialErrorsByItemIDKey: errors as NSDictionary,
        NSLocalizedDescriptionKey:
          "\(errors.count) of the items failed: see partialErrorsByItemID.",
      ])
  }
}

extension Result where Failure == CKError {
  /// The result with the error type of the public blocks.
  var plain: Result<Success, any Error> { mapError { $0 } }
}

extension Result where Success == Void, Failure == any Error {
  /// The result of an operation for its result block.
  ///
  /// Partial failures count as success here, because the blocks for single items report them. The
  /// deprecated completion blocks receive the partial failure.
  init(_ error: CKError?) {
    switch error {
    case let error? where error.code != .partialFailure: self = .failure(error)
    default: self = .success(())
    }
  }
}
