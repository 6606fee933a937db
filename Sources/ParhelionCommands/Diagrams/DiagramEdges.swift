import ManagedObjectModel

/// The arrows of a diagram: one for each relationship and its inverse, and one from each entity to
/// its parent.
struct DiagramEdges {
  /// An arrow from an entity to another, both by name.
  struct Edge: Hashable {
    let from: String
    let to: String
    let isInheritance: Bool
    /// The relationship, and whether it is to-many.
    let name: String?
    let isToMany: Bool
    /// The inverse relationship, and whether it is to-many.
    let backName: String?
    let isBackToMany: Bool
  }

  /// The arrows, in the order of the entities' names and then of the properties.
  let edges: [Edge]

  init(_ model: NSManagedObjectModel) {
    var edges: [Edge] = []
    var drawn: Set<ObjectIdentifier> = []
    for entity in model.sortedEntities {
      if let parent = entity.superentity?.name {
        edges.append(
          Edge(
            from: entity.name ?? "", to: parent, isInheritance: true, name: nil, isToMany: false,
            backName: nil,
            isBackToMany: false))
      }
      for case let relationship as NSRelationshipDescription in EntityBox.sortedProperties(
        of: entity)
      {
        guard let destination = relationship.destinationEntity?.name else { continue }
        guard drawn.insert(ObjectIdentifier(relationship)).inserted else { continue }
        let inverse = relationship.inverseRelationship.flatMap { $0 === relationship ? nil : $0 }
        if let inverse { drawn.insert(ObjectIdentifier(inverse)) }
        edges.append(
          Edge(
            from: entity.name ?? "", to: destination, isInheritance: false, name: relationship.name,
            isToMany: relationship.isToMany, backName: inverse?.name,
            isBackToMany: inverse?.isToMany ?? false))
      }
    }
    self.edges = edges
  }
}

/// The content of an entity's box.
enum EntityBox {
  struct Row {
    let name: String
    let type: String
  }

  static func title(of entity: NSEntityDescription) -> String {
    (entity.name ?? "") + (entity.isAbstract ? " (abstract)" : "")
  }

  static func rows(of entity: NSEntityDescription) -> [Row] {
    sortedProperties(of: entity).map { Row(name: $0.name, type: type(of: $0)) }
  }

  /// The properties that the entity itself declares: attributes, then relationships, then the
  /// others, each sorted by name.
  ///
  /// A compiled model has no order, and its diagram should equal that of its source.
  static func sortedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
    let properties = entity.ownProperties.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    let attributes = properties.filter { $0 is NSAttributeDescription }
    let relationships = properties.filter { $0 is NSRelationshipDescription }
    let others = properties.filter {
      !($0 is NSAttributeDescription) && !($0 is NSRelationshipDescription)
    }
    return attributes + relationships + others
  }

  private static func type(of property: NSPropertyDescription) -> String {
    if let relationship = property as? NSRelationshipDescription {
      let destination = relationship.destinationEntity?.name ?? "?"
      return relationship.isToMany ? "\(destination) *" : destination
    }
    return property.kindDescription + (property.isOptional ? "" : " !")
  }
}
