import CloudRecords
import Foundation

/// An operation on one of a container's databases: use one of the subclasses.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// The database; adding the operation to one sets it.
  ///
  /// Where nothing is said, it is the private one of the configuration's container, or of the
  /// default one; for the record of whoever is signed in, the public one.
  open var database: CKDatabase?

  override func makeWork() throws(CKError) -> DatabaseWork { try askedDatabase.work() }

  private var askedDatabase: CKDatabase {
    database
      ?? (effectiveConfiguration.container ?? CKContainer.default()).database(with: usualScope)
  }

  /// The database of an operation that was told none.
  var usualScope: CKDatabaseScope { .private }

  override var askedContainer: CKContainer { askedDatabase.container }

  override var askedScope: CKDatabaseScope? { askedDatabase.databaseScope }
}

/// Collects what went wrong with single items, for the error of the whole.
struct ItemErrors {
  private(set) var errors: [AnyHashable: any Error] = [:]

  mutating func note<Value, Failure>(_ item: AnyHashable, _ result: Result<Value, Failure>) {
    if case .failure(let error) = result { errors[item] = error }
  }

  /// - Throws: A partial failure, where there was one.
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
  /// The result as Apple's blocks have it.
  var plain: Result<Success, any Error> { mapError { $0 } }
}

extension Result where Success == Void, Failure == any Error {
  /// The end of an operation, as its result block has it.
  ///
  /// Who has that block has those for single items as well, and hears there what failed: a partial
  /// failure is for the older blocks alone.
  init(_ error: CKError?) {
    switch error {
    case let error? where error.code != .partialFailure: self = .failure(error)
    default: self = .success(())
    }
  }
}
