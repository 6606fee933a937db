extension NSEntityDescription {
  /// The properties of the entity: the inherited ones, the most distant ancestor's first, then its
  /// own.
  ///
  /// Setting it sets the entity's own properties; inherited ones among them are passed over.
  public var properties: [NSPropertyDescription] {
    get { frozen?.properties ?? inheritedProperties + ownProperties }
    set {
      let inherited = Set(inheritedProperties.map(ObjectIdentifier.init))
      ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
    }
  }

  /// The properties that the superentity hands down, the most distant ancestor's first.
  package var inheritedProperties: [NSPropertyDescription] {
    lineage.dropFirst().reversed().flatMap(\.ownProperties)
  }

  /// The properties by their names, inherited ones included.
  public var propertiesByName: [String: NSPropertyDescription] {
    frozen?.propertiesByName ?? Self.byName(properties)
  }

  /// The attributes by their names, inherited ones included.
  public var attributesByName: [String: NSAttributeDescription] {
    frozen?.attributesByName ?? Self.byName(properties.compactMap { $0 as? NSAttributeDescription })
  }

  /// The relationships by their names, inherited ones included.
  public var relationshipsByName: [String: NSRelationshipDescription] {
    frozen?.relationshipsByName
      ?? Self.byName(properties.compactMap { $0 as? NSRelationshipDescription })
  }

  /// The relationships whose destination is the given entity.
  public func relationships(forDestination entity: NSEntityDescription)
    -> [NSRelationshipDescription]
  {
    properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.destinationEntity === entity
    }
  }

  /// Where a faulty model has two properties of one name, the nearest stands for it.
  private static func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String:
    Property]
  {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { _, nearest in nearest })
  }

  /// The properties in the order in which rows and generated code number them: those of the most
  /// distant ancestor by name, then the next one's, and so on.
  ///
  /// An inherited property has the same number in every subentity.
  package var propertiesInRowOrder: [NSPropertyDescription] {
    lineage.reversed().flatMap {
      $0.ownProperties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }
}
