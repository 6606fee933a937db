import Foundation
package import ManagedObjectModel

/// A kind of request that a context can execute.
package protocol ContextRequest: NSPersistentStoreRequest {
  func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSManagedObjectContext {
  func executeRequest(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    requireAccess("execute(_:) was called")
    guard let request = request as? any ContextRequest else {
      throw cocoaError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The stores of the context cannot execute a request of the class \(type(of: request)).")
    }
    return try request.execute(in: self)
  }
}

extension NSFetchRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    FetchResult(try context.fetch(self))
  }
}
