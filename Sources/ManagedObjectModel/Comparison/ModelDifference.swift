/// The changes from one model to another, and the kind of migration that a store needs.
///
/// Two entities or properties correspond if their names are equal. They also correspond if the
/// renaming identifier in the newer model equals the name or renaming identifier in the older one.
package struct ModelDifference: Sendable {
  /// The migration that a store of the older model needs before the newer one can use it.
  package enum Verdict: String, Sendable {
    /// None: the models are equal.
    case identical
    /// None: the differences do not affect version hashes.
    case compatible
    /// A lightweight migration, which Core Data infers.
    case lightweight
    /// A custom mapping or migration stage: a lightweight migration is not possible.
    case custom
  }

  /// All changes: those of entities in the order of their names, then those of the model as a
  /// whole.
  package let changes: [Change]
  /// The newer names of the entities that both models have and whose version hashes differ.
  package let entitiesWithChangedHashes: [String]

  /// Compares two models.
  package init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
    var comparison = ModelComparison(from: source, to: destination)
    changes = comparison.run()
    entitiesWithChangedHashes = comparison.entitiesWithChangedHashes
  }

  /// The changes that prevent a lightweight migration.
  package var nonLightweightChanges: [Change] { changes.filter { $0.nonLightweightReason != nil } }

  /// Whether a store of the older model must be migrated before the newer one can open it.
  package var changesHashes: Bool {
    !entitiesWithChangedHashes.isEmpty
      || changes.contains { $0.kind == .entityAdded || $0.kind == .entityRemoved }
  }

  /// The migration that a store of the older model needs before the newer one can use it.
  package var verdict: Verdict {
    if !nonLightweightChanges.isEmpty { return .custom }
    if changesHashes || changes.contains(where: \.affectsHash) { return .lightweight }
    return changes.isEmpty ? .identical : .compatible
  }
}
