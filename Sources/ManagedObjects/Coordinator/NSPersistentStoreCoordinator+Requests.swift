import ManagedObjectModel

extension NSPersistentStoreCoordinator {
  func carryOut(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws
    -> Any
  {
    precondition(
      context.persistentStoreCoordinator === self,
      "A coordinator executes requests for its own contexts only. Use the coordinator of the context."
    )
    let result = try context.executeRequest(request)
    return (result as? FetchResult)?.results ?? result
  }
}
