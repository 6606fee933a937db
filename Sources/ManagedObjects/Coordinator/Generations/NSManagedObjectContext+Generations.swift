import ObjectRows

extension NSManagedObjectContext {
  /// Pins what the context reads to a moment, or lets it read what its stores have now.
  ///
  /// With `.current` the moment is that of the next read; with the token of another context of the
  /// same coordinator it is that context's. Nil ends it. A save and a merge of others' changes move
  /// a pinned context to the present. Objects that have values already keep them.
  ///
  /// SQLite stores with a write-ahead log can be pinned. Others are read as they are.
  ///
  /// - Precondition: The context has no parent: it would read what the parent reads.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    precondition(
      parent == nil,
      "A context with a parent reads what the parent reads. Pin the context that has the coordinator."
    )
    guard let source = source as? StoreSource else { return }
    source.generation = generation.map { $0.generation ?? QueryGeneration(of: source.coordinator) }
  }

  /// The moment that the context's reads are pinned to; nil where they are not.
  public var queryGenerationToken: NSQueryGenerationToken? {
    if let parent { return parent.queryGenerationToken }
    return (source as? StoreSource)?.generation.map(NSQueryGenerationToken.init)
  }

  /// Moves a pinned context to the present: called after what it saved or merged.
  func advanceGeneration() {
    guard let source = source as? StoreSource, source.generation != nil else { return }
    source.generation = QueryGeneration(of: source.coordinator)
  }
}
