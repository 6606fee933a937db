/// Whether a mapping model fits two models.
package struct MappingFit {
  /// One sentence for each mismatch; empty if every mapping fits.
  package let problems: [String]
  /// The destination model's concrete entities that no mapping creates.
  package let unmapped: [String]

  /// Whether every mapping fits and no entity is left out.
  package var isComplete: Bool { problems.isEmpty && unmapped.isEmpty }

  /// Compares a mapping model with its source and destination models.
  package init(
    _ mapping: NSMappingModel, from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    let mappings = mapping.entityMappings ?? []
    problems =
      mappings.flatMap { Self.problems(of: $0, source, destination) }
      + Self.repetitions(mappings)
    let names = Set(mappings.compactMap(\.destinationEntityName))
    unmapped = destination.entities.filter { !$0.isAbstract }.compactMap(\.name)
      .filter { !names.contains($0) }.sorted()
  }

  private static func problems(
    of mapping: NSEntityMapping, _ source: NSManagedObjectModel,
    _ destination: NSManagedObjectModel
  ) -> [String] {
    var problems: [String] = []
    let name = mapping.name ?? "without a name"
    func check(_ side: String, _ entity: String?, _ hash: Any?, _ model: NSManagedObjectModel) {
      guard let entity else { return }
      guard let found = model.entitiesByName[entity] else {
        problems.append(
          "The mapping \(name) names the entity \(entity), which the \(side) model does not have.")
        return
      }
      guard let hash, found.isVersionHashCertain, !valuesAreEqual(hash, found.versionHash) else {
        return
      }
      problems.append(
        "The mapping \(name) was made for another version of the \(side) entity \(entity).")
    }
    if mapping.name == nil { problems.append("A mapping has no name.") }
    check("source", mapping.sourceEntityName, mapping.sourceEntityVersionHash, source)
    check(
      "destination", mapping.destinationEntityName, mapping.destinationEntityVersionHash,
      destination)
    return problems
  }

  private static func repetitions(_ mappings: [NSEntityMapping]) -> [String] {
    let counts = Dictionary(mappings.compactMap { $0.name.map { ($0, 1) } }, uniquingKeysWith: +)
    return counts.filter { $0.value > 1 }.keys.sorted().map {
      "Several mappings have the name \($0)."
    }
  }
}
