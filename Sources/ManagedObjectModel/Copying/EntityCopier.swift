import Foundation

/// Copies entities together, so that references between them become references between the copies.
///
/// It first creates all copies, then redirects their references: superentities and subentities,
/// destinations and inverses, constraints, indexes and fetch requests. A reference to an entity
/// that is not copied remains.
struct EntityCopier {
  private var entities: [ObjectIdentifier: NSEntityDescription] = [:]
  private var properties: [ObjectIdentifier: NSPropertyDescription] = [:]

  /// The copies of entities, in the same order.
  ///
  /// Their subentities are copied too.
  mutating func copies(of originals: [NSEntityDescription]) -> [NSEntityDescription] {
    let family = withSubentities(originals)
    for original in family { entities[ObjectIdentifier(original)] = makeCopy(of: original) }
    for original in family { redirectReferences(of: original) }
    return originals.map(copy(of:))
  }

  /// Uses an existing entity as the copy of another.
  ///
  /// Its properties become the copies of the other entity's properties with the same names.
  mutating func substitute(_ original: NSEntityDescription, by replacement: NSEntityDescription) {
    entities[ObjectIdentifier(original)] = replacement
    let own = Dictionary(
      replacement.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for property in original.ownProperties {
      properties[ObjectIdentifier(property)] = own[property.name]
    }
  }

  /// Copies the contents of a model to an empty one.
  mutating func copyContents(of original: NSManagedObjectModel, to copy: NSManagedObjectModel) {
    copy.entities = copies(of: original.entities)
    for name in original.configurations {
      let members = original.entities(forConfigurationName: name) ?? []
      copy.setEntities(members.map(self.copy(of:)), forConfigurationName: name)
    }
    for (name, template) in original.fetchRequestTemplatesByName {
      copy.setFetchRequestTemplate(self.copy(of: template), forName: name)
    }
    copy.versionIdentifiers = original.versionIdentifiers
    copy.localizationDictionary = original.localizationDictionary
  }

  // MARK: - Copies

  private func withSubentities(_ originals: [NSEntityDescription]) -> [NSEntityDescription] {
    var found: [NSEntityDescription] = []
    var seen = Set(entities.keys)
    var waiting = Array(originals.reversed())
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      found.append(next)
      waiting.append(contentsOf: next.subentities)
    }
    return found
  }

  private mutating func makeCopy(of original: NSEntityDescription) -> NSEntityDescription {
    let copy = NSEntityDescription()
    copy.name = original.name
    copy.managedObjectClassName = original.managedObjectClassName
    copy.isAbstract = original.isAbstract
    copy.userInfo = original.userInfo
    copy.versionHashModifier = original.versionHashModifier
    copy.coreSpotlightDisplayNameExpression = original.coreSpotlightDisplayNameExpression
    copy.storedRenamingIdentifier = original.storedRenamingIdentifier
    copy.ownProperties = original.ownProperties.map { makeCopy(of: $0) }
    return copy
  }

  private mutating func makeCopy(of original: NSPropertyDescription) -> NSPropertyDescription {
    let copy = original.makeEmptyCopy()
    original.copyState(to: copy)
    properties[ObjectIdentifier(original)] = copy
    return copy
  }

  // MARK: - References

  /// The copy of an entity, or the entity itself if it was not copied.
  func copy(of entity: NSEntityDescription) -> NSEntityDescription {
    entities[ObjectIdentifier(entity)] ?? entity
  }

  private func copy<Property: NSPropertyDescription>(of property: Property) -> Property {
    properties[ObjectIdentifier(property)] as? Property ?? property
  }

  private func redirectReferences(of original: NSEntityDescription) {
    let copy = copy(of: original)
    copy.subentities = original.subentities.map(self.copy(of:))
    copy.uniquenessConstraints = redirected(original.uniquenessConstraints)
    copy.storedCompoundIndexes = redirected(original.storedCompoundIndexes)
    copy.indexes = original.indexes.map(self.copy(of:))
    for property in copy.ownProperties { redirectReferences(of: property) }
  }

  private func redirectReferences(of property: NSPropertyDescription) {
    switch property {
    case let relationship as NSRelationshipDescription:
      relationship.destinationEntity = relationship.destinationEntity.map(copy(of:))
      relationship.inverseRelationship = relationship.inverseRelationship.map(copy(of:))
    case let fetched as NSFetchedPropertyDescription:
      fetched.fetchRequest = fetched.fetchRequest.map(copy(of:))
    default:
      break
    }
  }

  private func redirected(_ references: [[Any]]) -> [[Any]] {
    references.map { $0.map { ($0 as? NSPropertyDescription).map(copy(of:)) ?? $0 } }
  }

  private func copy(of index: NSFetchIndexDescription) -> NSFetchIndexDescription {
    guard let copied = index.copy() as? NSFetchIndexDescription else { return index }
    for element in copied.elements { element.property = element.property.map(copy(of:)) }
    return copied
  }

  /// A copy of a fetch request, for the copy of its entity.
  func copy(
    of request: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSFetchRequest<any NSFetchRequestResult> {
    let copied = request.duplicate()
    if let entity = copied.specification.entity.entity { copied.entity = copy(of: entity) }
    copied.propertiesToFetch = copied.propertiesToFetch.map { redirected([$0])[0] }
    copied.propertiesToGroupBy = copied.propertiesToGroupBy.map { redirected([$0])[0] }
    return copied
  }
}
