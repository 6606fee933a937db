import CoreData

/// The store of the journal, and its contexts.
public final class PersistenceController: Sendable {
  /// The transaction author of the application's own changes.
  public static let author = "app"

  /// The model and its store.
  public let container: NSPersistentContainer

  /// Opens the store.
  ///
  /// - Parameter url: The store's file, or nil for a store in memory, as in previews and tests.
  public init(url: URL?) {
    container = NSPersistentContainer(name: "Journal")
    let description = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { description, error in
      if let error = error as NSError? {
        fatalError(
          "The journal at \(description.url?.path ?? "no place") cannot be opened: \(error), \(error.userInfo)"
        )
      }
    }
    container.viewContext.automaticallyMergesChangesFromParent = true
    container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    container.viewContext.name = "view"
    container.viewContext.transactionAuthor = Self.author
  }

  /// Creates a context for background work.
  public func newTaskContext(author: String = PersistenceController.author)
    -> NSManagedObjectContext
  {
    let context = container.newBackgroundContext()
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    context.transactionAuthor = author
    return context
  }

  /// Returns the transactions of other authors after a history token, or all if the token is nil.
  public func changes(after token: NSPersistentHistoryToken?) async throws
    -> [NSPersistentHistoryTransaction]
  {
    let context = newTaskContext()
    return try await context.perform {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      return transactions.filter { $0.author != Self.author }
    }
  }
}
