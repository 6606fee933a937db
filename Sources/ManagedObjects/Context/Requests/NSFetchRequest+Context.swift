import Foundation
public import ManagedObjectModel

extension NSFetchRequest {
  /// Executes the request in the context on whose queue the caller runs.
  ///
  /// - Precondition: The caller runs in a block of a context's `perform(_:)` or
  ///   `performAndWait(_:)`.
  public func execute() throws -> [ResultType] {
    guard let context = NSManagedObjectContext.current else {
      preconditionFailure(
        "execute() needs a current context: call it within perform(_:) or performAndWait(_:), or use fetch(_:) of a context."
      )
    }
    return try context.fetch(self)
  }
}

extension NSPersistentStoreRequest {
  /// The stores to which the request is limited, or nil for all.
  public var affectedStores: [NSPersistentStore]? {
    get { limitedToStores?.compactMap { $0 as? NSPersistentStore } }
    set { limitedToStores = newValue }
  }
}
