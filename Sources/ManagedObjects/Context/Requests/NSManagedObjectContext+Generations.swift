import Foundation
import ObjectRows

extension NSManagedObjectContext {
  /// Pins the context's reads to a generation of its stores, or unpins them.
  ///
  /// With `.current` the context is pinned at its next read, and with another context's token to
  /// that context's generation. Nil unpins it. A save, a merge or a reset moves a pinned context to
  /// the newest generation. Objects that have values keep them until they are fetched or refreshed.
  ///
  /// SQLite stores with a write-ahead log support generations. Other stores always return their
  /// current contents. Fetches ignore stores that are added after the generation begins. The log of
  /// a store grows while a context is pinned to a former generation. So unpin a context that is not
  /// used for a long time.
  ///
  /// - Precondition: The context has no parent, because it would read the parent's objects.
  /// - Throws: `NSCoreDataError` if the token is of another coordinator.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    precondition(
      parent == nil,
      "A context with a parent reads what the parent reads. Pin the context that has the coordinator."
    )
    guard let source = source as? StoreSource else { return }
    if let token = generation as? CoordinatorToken, token.coordinator !== source.coordinator {
      throw cocoaError(
        NSCoreDataError,
        """
        The query generation is one of another coordinator's stores. Use a token of a context with \
        the same coordinator.
        """)
    }
    moment += 1
    source.generation = generation.map { $0.generation ?? QueryGeneration(of: source.coordinator) }
  }

  /// The generation that the context's reads are pinned to, or nil.
  public var queryGenerationToken: NSQueryGenerationToken? {
    if let parent { return parent.queryGenerationToken }
    guard let source = source as? StoreSource else { return nil }
    return source.generation.map { CoordinatorToken($0, of: source.coordinator) }
  }

  /// Moves a pinned context to the newest generation, at a save, merge or reset.
  func advanceGeneration() {
    guard let source = source as? StoreSource, source.generation != nil else { return }
    moment += 1
    source.generation = QueryGeneration(of: source.coordinator)
  }
}

/// The token of a generation that a context reads, which knows the coordinator of the stores.
// Sendable: immutable.
private final class CoordinatorToken: NSQueryGenerationToken, @unchecked Sendable {
  weak let coordinator: NSPersistentStoreCoordinator?

  init(_ generation: QueryGeneration, of coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    super.init(generation)
  }
}
