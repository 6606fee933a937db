public import Foundation
public import ManagedObjectModel

/// A fetch request that a context executes asynchronously, with a block that receives the results.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: Note.fetchRequest()) { result in
///   show(result.finalResult ?? [])
/// }
/// try context.execute(request)
/// ```
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
  /// The fetch request to execute.
  public let fetchRequest: NSFetchRequest<ResultType>

  /// The block that receives the result, on the context's queue.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

  /// The expected number of results, for progress reports.
  open var estimatedResultCount = 0

  /// Creates a request whose results are passed to a block.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    completionBlock = blk
    super.init()
  }

  /// The type of the request: a fetch.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAsynchronousFetchRequest(
      fetchRequest: fetchRequest.duplicate(), completionBlock: completionBlock)
    copy.estimatedResultCount = estimatedResultCount
    return copy
  }
}

/// The result of an asynchronous fetch.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
  /// The executed request.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>

  /// The results; nil until they are available, and after a failure or cancellation.
  open internal(set) var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context: context)
    if request.estimatedResultCount > 0 {
      progress?.totalUnitCount = Int64(request.estimatedResultCount)
    }
  }

  /// Executes the fetch on the context's queue.
  fileprivate func run() {
    defer { fetchRequest.completionBlock?(self) }
    guard progress?.isCancelled != true else {
      operationError = CocoaError(.userCancelled)
      return
    }
    do {
      let results = try managedObjectContext.fetch(fetchRequest.fetchRequest)
      finalResult = results
      progress?.totalUnitCount = Int64(results.count)
      progress?.completedUnitCount = Int64(results.count)
    } catch {
      operationError = error
    }
  }
}

extension NSAsynchronousFetchRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(self, context: context)
    // Nothing else uses the result while the queue runs the block.
    nonisolated(unsafe) let pending = result
    context.performLater { unsafe pending.run() }
    return result
  }
}
