/// Compares two models; `ModelDifference` is the result.
struct ModelComparison {
  let source: NSManagedObjectModel
  let destination: NSManagedObjectModel
  let entities: Correspondence<NSEntityDescription>
  private(set) var changes: [ModelDifference.Change] = []
  /// The entity whose changes are being recorded.
  var entity: String?

  init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
    self.source = source
    self.destination = destination
    entities = Correspondence(
      from: source.entities, to: destination.entities, name: \.nameOrEmpty,
      identifier: \.storedRenamingIdentifier)
  }

  /// The names of the paired entities whose version hashes differ.
  var entitiesWithChangedHashes: [String] {
    entities.pairs.filter { $0.source.versionHash != $0.destination.versionHash }.map(
      \.destination.nameOrEmpty
    )
    .sorted()
  }

  mutating func run() -> [ModelDifference.Change] {
    for entity in entities.added { recordEntity(entity, .entityAdded) }
    for entity in entities.removed { recordEntity(entity, .entityRemoved) }
    for (source, destination) in entities.pairs { compareEntity(source, destination) }
    checkMergedHierarchies()
    let ofEntities = changes.enumerated().sorted { first, second in
      let (left, right) = (first.element.entity ?? "", second.element.entity ?? "")
      return left == right
        ? first.offset < second.offset : left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    changes = ofEntities.map(\.element)
    entity = nil
    compareModels()
    return changes
  }

  private mutating func recordEntity(_ entity: NSEntityDescription, _ kind: ModelDifference.Kind) {
    self.entity = entity.nameOrEmpty
    record(kind, affectsHash: true)
  }

  // MARK: Recording

  mutating func record(
    _ kind: ModelDifference.Kind, _ property: String? = nil, from before: String? = nil,
    to after: String? = nil,
    affectsHash: Bool = false, nonLightweightReason: String? = nil, dependsOnObjects: Bool = false
  ) {
    changes.append(
      ModelDifference.Change(
        kind: kind, entity: entity, property: property, before: before, after: after,
        affectsHash: affectsHash,
        nonLightweightReason: nonLightweightReason, dependsOnObjects: dependsOnObjects))
  }

  /// Records a change if two values differ.
  mutating func compare<Value: Equatable>(
    _ kind: ModelDifference.Kind, _ property: String? = nil, _ before: Value, _ after: Value,
    affectsHash: Bool = false,
    in words: (Value) -> String?
  ) {
    guard before != after else { return }
    record(kind, property, from: words(before), to: words(after), affectsHash: affectsHash)
  }

  /// Records a change if two Booleans differ.
  mutating func compare(
    _ kind: ModelDifference.Kind, _ property: String? = nil, _ before: Bool, _ after: Bool,
    affectsHash: Bool = false
  ) {
    compare(kind, property, before, after, affectsHash: affectsHash) { $0 ? "yes" : "no" }
  }
}

extension NSEntityDescription {
  /// The name, or an empty text.
  var nameOrEmpty: String { name ?? "" }
}
