public import Foundation
public import ManagedObjectModel

/// A fetch request that a context executes asynchronously, with a block that receives the results.
///
/// The stores are read outside of the context's queue, which may do other work meanwhile. The
/// results are made on that queue, and include the unsaved changes at that time.
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

  /// The expected number of results, for progress reports; 0 if it is unknown.
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

  let fetchProgress: FetchProgress

  init(_ request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext) {
    fetchRequest = request
    fetchProgress = FetchProgress(of: context, estimate: request.estimatedResultCount)
    super.init(context: context, progress: fetchProgress)
  }
}

extension NSAsynchronousFetchRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(self, context: context)
    AsynchronousFetch(result).begin()
    return result
  }
}
