extension ModelComparison {
  mutating func compareEntity(_ before: NSEntityDescription, _ after: NSEntityDescription) {
    entity = after.nameOrEmpty
    compare(.entityRenamed, nil, before.nameOrEmpty, after.nameOrEmpty, affectsHash: true) { $0 }
    compareParents(before, after)
    compare(.abstractness, nil, before.isAbstract, after.isAbstract, affectsHash: true)
    compare(
      .className, nil, before.managedObjectClassName ?? "", after.managedObjectClassName ?? ""
    ) { $0 }
    compare(
      .versionHashModifier, nil, before.versionHashModifier, after.versionHashModifier,
      affectsHash: true
    ) {
      $0 ?? "none"
    }
    compare(
      .constraints, nil, constraintNames(before), constraintNames(after), affectsHash: true,
      in: Self.list)
    compare(.indexes, nil, indexNames(before), indexNames(after), in: Self.list)
    if !valuesAreEqual(before.userInfo, after.userInfo) { record(.userInfo) }
    compareProperties(of: before, after)
  }

  // MARK: Parents

  private mutating func compareParents(_ before: NSEntityDescription, _ after: NSEntityDescription)
  {
    let kept = after.superentity.flatMap { entities.source(of: $0) }
    let isSame =
      after.superentity == nil
      ? before.superentity == nil : kept != nil && kept === before.superentity
    guard !isSame else { return }
    record(
      .parent, from: before.superentity?.name ?? "none", to: after.superentity?.name ?? "none",
      affectsHash: true)
  }

  /// Records entities that get a new common ancestor, which Core Data's documentation excludes.
  mutating func checkMergedHierarchies() {
    var roots: [ObjectIdentifier: [NSEntityDescription]] = [:]
    for (before, after) in entities.pairs {
      guard let newRoot = after.lineage.last, let oldRoot = before.lineage.last else { continue }
      var known = roots[ObjectIdentifier(newRoot), default: []]
      guard !known.contains(where: { $0 === oldRoot }) else { continue }
      known.append(oldRoot)
      roots[ObjectIdentifier(newRoot)] = known
    }
    for root in destination.entities {
      guard let merged = roots[ObjectIdentifier(root)], merged.count > 1 else { continue }
      let names = merged.map(\.nameOrEmpty).sorted().joined(separator: ", ")
      entity = root.nameOrEmpty
      record(
        .parent, from: names, to: root.nameOrEmpty, affectsHash: true,
        nonLightweightReason:
          "Entities of separate hierarchies (\(names)) get the common ancestor \(root.nameOrEmpty); their rows would move into one table."
      )
    }
  }

  // MARK: Constraints and indexes

  private func constraintNames(_ entity: NSEntityDescription) -> [String] {
    entity.uniquenessConstraintNames.map { "(\($0.joined(separator: ", ")))" }.sorted()
  }

  private func indexNames(_ entity: NSEntityDescription) -> [String] {
    let compound = entity.compoundIndexNames.map { "(\($0.joined(separator: ", ")))" }
    // Apple's compiler creates an index for a property that the deprecated `isIndexed` marks, and
    // marks a property that has an index.
    let indexed = Set(
      entity.indexes.filter { $0.elements.count == 1 }.compactMap {
        $0.elements.first?.propertyName
      })
    let marked = entity.ownProperties.filter { $0.storedIsIndexed && !indexed.contains($0.name) }
    let single = marked.map { "\($0.name)(\($0.name))" }
    return (entity.indexes.map(\.summary) + compound + single).sorted()
  }

  static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}

extension NSFetchIndexDescription {
  /// A summary of the index: its name and its elements.
  package var summary: String {
    let parts = elements.map { element in
      let kind = element.collationType == .rTree ? " in an R-tree" : ""
      return (element.propertyName ?? "?") + (element.isAscending ? "" : " descending") + kind
    }
    return "\(name)(\(parts.joined(separator: ", ")))"
      + (partialIndexPredicate == nil ? "" : " on a part of the rows")
  }
}
