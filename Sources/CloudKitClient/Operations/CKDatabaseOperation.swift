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
    let container = effectiveConfiguration.container
    let database = database ?? (container ?? CKContainer.default()).privateCloudDatabase
    var work = try database.work()
    work.options = callOptions
    return work
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
  /// The end of an operation.
  init(_ error: CKError?) {
    self = error.map { .failure($0) } ?? .success(())
  }
}
