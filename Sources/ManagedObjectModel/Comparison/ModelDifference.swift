/// What changed from one model to another, and whether a store can be migrated without a mapping of
/// one's own.
///
/// Entities and properties of the two models belong together when their names agree, or when the
/// renaming identifier in the newer model is the name, or the renaming identifier, in the older
/// one.
package struct ModelDifference: Sendable {
  /// What a store of the older model needs before the newer one can use it.
  package enum Verdict: String, Sendable {
    /// Nothing: the models do not differ.
    case identical
    /// Nothing: the models differ in what version hashes do not cover.
    case compatible
    /// A lightweight migration, which Core Data infers.
    case lightweight
    /// A mapping or a migration stage of one's own: a lightweight migration cannot do it.
    case custom
  }

  /// All changes: those of entities in the order of their names, then those of the model as a
  /// whole.
  package let changes: [Change]
  /// The names, in the newer model, of the entities of both models whose version hashes differ.
  package let entitiesWithChangedHashes: [String]

  /// Compares two models.
  package init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
    var comparison = ModelComparison(from: source, to: destination)
    changes = comparison.run()
    entitiesWithChangedHashes = comparison.entitiesWithChangedHashes
  }

  /// The changes that a lightweight migration cannot do.
  package var obstacles: [Change] { changes.filter { $0.obstacle != nil } }

  /// Whether a store of the older model is refused by the newer one until it is migrated.
  package var changesHashes: Bool {
    !entitiesWithChangedHashes.isEmpty
      || changes.contains { $0.kind == .entityAdded || $0.kind == .entityRemoved }
  }

  /// What a store of the older model needs.
  package var verdict: Verdict {
    if !obstacles.isEmpty { return .custom }
    if changesHashes || changes.contains(where: \.affectsHash) { return .lightweight }
    return changes.isEmpty ? .identical : .compatible
  }
}
