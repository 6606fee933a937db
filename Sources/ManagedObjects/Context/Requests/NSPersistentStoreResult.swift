public import Foundation

/// What a request gives: the common superclass of results.
open class NSPersistentStoreResult: NSObject {
  /// A result that says nothing.
  public override init() {
    super.init()
  }
}

/// The result of a request that is carried out while the caller goes on.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  /// The context that carries the request out.
  public let managedObjectContext: NSManagedObjectContext

  /// Why the request failed, if it did.
  open internal(set) var operationError: (any Error)?

  /// How far the request is: one unit for each result.
  public let progress: Progress?

  init(context: NSManagedObjectContext) {
    managedObjectContext = context
    progress = Progress(totalUnitCount: -1)
    super.init()
  }

  /// Gives up.
  ///
  /// A request that has not begun is not carried out.
  open func cancel() { progress?.cancel() }
}

/// The result of a fetch that was carried out by `execute(_:)`.
final class FetchResult: NSPersistentStoreResult {
  let results: [Any]

  init(_ results: [Any]) {
    self.results = results
    super.init()
  }
}
