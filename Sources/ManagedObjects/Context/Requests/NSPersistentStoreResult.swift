public import Foundation

/// The result of a request to a context; the superclass of all results.
open class NSPersistentStoreResult: NSObject {
  /// Creates an empty result.
  public override init() {
    super.init()
  }
}

/// The result of a request that is executed asynchronously.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  /// The context that executes the request.
  public let managedObjectContext: NSManagedObjectContext

  /// The error of a failed request.
  open internal(set) var operationError: (any Error)?

  /// The progress of the request, with one unit for each result.
  ///
  /// It changes on the context's queue while the store is read, and is indeterminate without an
  /// estimate of the number of results. It becomes a child of the thread's current progress when
  /// the request is executed.
  public let progress: Progress?

  init(context: NSManagedObjectContext, progress: Progress) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// Cancels the request.
  ///
  /// A running read stops. The request has no results then, and its error is
  /// `NSUserCancelledError`. To cancel the progress has the same effect.
  open func cancel() { progress?.cancel() }
}

/// The result of a fetch that `execute(_:)` executed.
final class FetchResult: NSPersistentStoreResult {
  let results: [Any]

  init(_ results: [Any]) {
    self.results = results
    super.init()
  }
}
