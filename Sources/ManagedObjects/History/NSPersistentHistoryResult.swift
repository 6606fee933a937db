import Foundation
import ManagedObjectModel

/// The result of a persistent history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
  /// The result, in the form that `resultType` specifies.
  public let result: Any?

  /// The requested form of the result.
  public let resultType: NSPersistentHistoryResultType

  init(_ result: Any, _ resultType: NSPersistentHistoryResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}

extension NSPersistentHistoryChangeRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    guard let coordinator = context.persistentStoreCoordinator else {
      preconditionFailure(
        "A request to the history needs stores. Set the persistentStoreCoordinator of the context, or a parent that has one."
      )
    }
    let stores = coordinator.historyStores(among: limitedToStores)
    return NSPersistentHistoryResult(try value(from: stores), resultType)
  }
}
