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
  public let progress: Progress?

  init(context: NSManagedObjectContext) {
    managedObjectContext = context
    progress = Progress(totalUnitCount: -1)
    super.init()
  }

  /// Cancels the request.
  ///
  /// A request that has not begun is not executed.
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
