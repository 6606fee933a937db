public import Foundation
public import ManagedObjectModel

/// A fetch that is carried out while the caller goes on, and whose results go to a block.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: Note.fetchRequest()) { result in
///   show(result.finalResult ?? [])
/// }
/// try context.execute(request)
/// ```
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
  /// The fetch.
  public let fetchRequest: NSFetchRequest<ResultType>

  /// What gets the result, on the context's queue.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

  /// How many results are expected, for the progress.
  open var estimatedResultCount = 0

  /// A request whose results go to a block.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    completionBlock = blk
    super.init()
  }

  /// The kind of the request: a fetch.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A request that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAsynchronousFetchRequest(
      fetchRequest: fetchRequest.duplicate(), completionBlock: completionBlock)
    copy.estimatedResultCount = estimatedResultCount
    return copy
  }
}

/// What an asynchronous fetch gives.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
  /// The request that was carried out.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>

  /// The results; nil before they are there, and where the fetch failed or was given up.
  open internal(set) var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context: context)
    if request.estimatedResultCount > 0 {
      progress?.totalUnitCount = Int64(request.estimatedResultCount)
    }
  }

  /// Carries the fetch out, on the context's queue.
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
    // The queue runs the block while nothing else touches the result.
    nonisolated(unsafe) let pending = result
    context.performLater { unsafe pending.run() }
    return result
  }
}
