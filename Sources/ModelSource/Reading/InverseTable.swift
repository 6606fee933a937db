import ManagedObjectModel

/// The relationships that name an inverse, collected until all relationships are known.
struct InverseTable {
  fileprivate struct Entry {
    let relationship: NSRelationshipDescription
    let entity: NSEntityDescription
    let inverseName: String
    let inverseEntity: String?
    let reader: ElementReader
  }

  private var entries: [Entry] = []
  private var inverseNames: [ObjectIdentifier: String] = [:]

  mutating func add(
    _ relationship: NSRelationshipDescription, of entity: NSEntityDescription, inverse name: String,
    in inverseEntity: String?, reader: ElementReader
  ) {
    inverseNames[ObjectIdentifier(relationship)] = name
    entries.append(
      Entry(
        relationship: relationship, entity: entity, inverseName: name, inverseEntity: inverseEntity,
        reader: reader)
    )
  }

  /// Connects every relationship with its inverse, and reports inverses that are missing or
  /// disagree.
  func resolve(among entities: [String: NSEntityDescription], properties: PropertyTable) {
    for entry in entries {
      guard let inverse = inverse(of: entry, among: entities, properties: properties) else {
        continue
      }
      guard inverseNames[ObjectIdentifier(inverse)] == entry.relationship.name else {
        entry.reader.error(
          .contradiction, "inverseName",
          "\(entry.inverseName) of \(entry.destinationName) does not name \(entry.relationship.name) as its inverse.",
          "Let both relationships name each other.")
        continue
      }
      entry.relationship.inverseRelationship = inverse
    }
    // Relationships with the same name in different entities may name the same inverse.
    for entry in entries {
      guard let back = entry.relationship.inverseRelationship?.inverseRelationship,
        back !== entry.relationship
      else { continue }
      entry.reader.error(
        .contradiction, "inverseName",
        "\(entry.inverseName) of \(entry.destinationName) is the inverse of another relationship.",
        "Let both relationships name each other.")
    }
  }

  private func inverse(
    of entry: Entry, among entities: [String: NSEntityDescription], properties: PropertyTable
  ) -> NSRelationshipDescription? {
    if let name = entry.inverseEntity, entities[name] == nil {
      entry.reader.error(
        .unresolved, "inverseEntity", "The entity \(name) of the inverse is not in this model.",
        "Correct the name, or add the entity.")
      return nil
    }
    let destination = entry.relationship.destinationEntity
    let holder = entry.inverseEntity.flatMap { entities[$0] } ?? destination
    if let holder, let destination, !destination.isKindOf(entity: holder) {
      entry.reader.error(
        .contradiction, "inverseEntity",
        "\(holder.name ?? "") is neither the entity \(entry.destinationName) nor its ancestor.",
        "Name the destination, or an entity that it inherits from.")
      return nil
    }
    let property = properties.property(named: entry.inverseName, of: holder)
    if let relationship = property as? NSRelationshipDescription { return relationship }
    entry.reader.error(
      .unresolved, "inverseName",
      "The inverse \(entry.inverseName) is not a relationship of \(holder?.name ?? entry.destinationName).",
      "Correct the name, or add the relationship.")
    return nil
  }
}

extension InverseTable.Entry {
  fileprivate var destinationName: String {
    relationship.destinationEntity?.name ?? "the destination"
  }
}
