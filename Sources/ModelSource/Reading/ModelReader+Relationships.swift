import ManagedObjectModel

extension ModelReader {
  /// Reads a `<relationship>`.
  ///
  /// The destination is resolved immediately, and the inverse when all relationships are known.
  func readRelationship(with reader: inout ElementReader, of declaration: Declaration)
    -> NSRelationshipDescription?
  {
    guard let name = SourceName.read(with: &reader) else { return nil }
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.isOptional = reader.flag("optional") ?? false
    relationship.isTransient = reader.flag("transient") ?? false
    relationship.storedRenamingIdentifier =
      reader.nonEmptyText("elementID") ?? reader.nonEmptyText("renamingIdentifier")
    relationship.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    relationship.isIndexedBySpotlight = reader.flag("spotlightIndexingEnabled") ?? false
    relationship.storedIsIndexed = reader.flag("indexed") ?? false
    relationship.storedIsStoredInExternalRecord = reader.flag("storedInTruthFile") ?? false
    relationship.userInfo = UserInfo.read(inside: reader)
    readCounts(of: relationship, with: &reader)
    relationship.deleteRule = readDeleteRule(with: &reader)
    readDestination(of: relationship, from: declaration.entity, with: &reader)
    reader.ignore("syncable")
    reader.finish()
    for child in reader.element.children where child.name != "userInfo" {
      reader.unknownChild(child)
    }
    return relationship
  }

  private func readCounts(
    of relationship: NSRelationshipDescription, with reader: inout ElementReader
  ) {
    let isMarkedToMany = reader.flag("toMany") ?? false
    relationship.maxCount = reader.count("maxCount") ?? (isMarkedToMany ? 0 : 1)
    relationship.minCount = reader.count("minCount") ?? 0
    if isMarkedToMany != relationship.isToMany {
      reader.warning(
        .contradiction, "maxCount", "toMany and maxCount contradict each other; maxCount is used.",
        "Correct one of them.")
    }
    if relationship.maxCount != 0, relationship.minCount > relationship.maxCount {
      reader.error(
        .contradiction, "minCount", "The minimum count exceeds the maximum count.",
        "Correct one of them.")
    }
    let isOrdered = reader.flag("ordered") ?? false
    relationship.isOrdered = isOrdered && relationship.isToMany
    if isOrdered, !relationship.isToMany {
      reader.warning(
        .contradiction, "ordered", "A to-one relationship has no order.", "Remove the mark.")
    }
  }

  private func readDeleteRule(with reader: inout ElementReader) -> NSDeleteRule {
    guard let name = reader.nonEmptyText("deletionRule") else { return .nullifyDeleteRule }
    if let rule = NSDeleteRule(sourceName: name) { return rule }
    reader.error(
      .badValue, "deletionRule", "\"\(name)\" is not a delete rule.",
      "Write one of \(NSDeleteRule.sourceNames).")
    return .nullifyDeleteRule
  }

  private func readDestination(
    of relationship: NSRelationshipDescription, from entity: NSEntityDescription,
    with reader: inout ElementReader
  ) {
    let inverseName = reader.nonEmptyText("inverseName")
    let inverseEntity = reader.nonEmptyText("inverseEntity")
    guard
      let name = reader.requiredText(
        "destinationEntity", remedy: "Choose the relationship's destination.")
    else {
      return
    }
    guard let destination = entitiesByName[name] else {
      reader.error(
        .unresolved, "destinationEntity", "The destination \(name) is not an entity of this model.",
        "Correct the name, or add the entity.")
      return
    }
    relationship.destinationEntity = destination
    guard let inverseName else {
      if !relationship.isTransient {
        reader.warning(
          .missingInverse, nil,
          "The relationship has no inverse, so deletions can leave dangling references.",
          "Add one to \(name); a model for CloudKit must have it.")
      }
      return
    }
    inverses.add(relationship, of: entity, inverse: inverseName, in: inverseEntity, reader: reader)
  }
}
