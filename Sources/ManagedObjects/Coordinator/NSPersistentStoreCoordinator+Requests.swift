import Foundation
public import ManagedObjectModel

extension NSPersistentStoreCoordinator {
  /// Carries out a request for a context of this coordinator.
  ///
  /// A fetch gives an array of its results, any other request a result object. Call it on the queue of the context.
  public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
    precondition(
      context.persistentStoreCoordinator === self,
      "A coordinator carries out requests for its own contexts only. Use the coordinator of the context.")
    let result = try context.executeRequest(request)
    return (result as? FetchResult)?.results ?? result
  }
}
