import CoreData

/// The store of the journal and the contexts on it.
public final class PersistenceController: Sendable {
  /// The name of the author of what the application itself does.
  public static let author = "app"

  /// The model and its store.
  public let container: NSPersistentContainer

  /// - Parameter url: Where the store lies; nil for one in memory, as previews and tests want it.
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

  /// A context for work beside the views.
  public func newTaskContext(author: String = PersistenceController.author)
    -> NSManagedObjectContext
  {
    let context = container.newBackgroundContext()
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    context.transactionAuthor = author
    return context
  }

  /// What others have written since a position in the history.
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
