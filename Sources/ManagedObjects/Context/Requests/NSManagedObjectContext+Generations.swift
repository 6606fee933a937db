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
  /// a store grows while a context is pinned to a former generation, so unpin a context that is not
  /// used for a long time.
  ///
  /// - Precondition: The context has no parent, because it would read the parent's objects.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    precondition(
      parent == nil,
      "A context with a parent reads what the parent reads. Pin the context that has the coordinator."
    )
    guard let source = source as? StoreSource else { return }
    moment += 1
    source.generation = generation.map { $0.generation ?? QueryGeneration(of: source.coordinator) }
  }

  /// The generation that the context's reads are pinned to, or nil.
  public var queryGenerationToken: NSQueryGenerationToken? {
    if let parent { return parent.queryGenerationToken }
    return (source as? StoreSource)?.generation.map(NSQueryGenerationToken.init)
  }

  /// Moves a pinned context to the newest generation, after a save, merge or reset.
  func advanceGeneration() {
    guard let source = source as? StoreSource, source.generation != nil else { return }
    source.generation = QueryGeneration(of: source.coordinator)
  }
}
