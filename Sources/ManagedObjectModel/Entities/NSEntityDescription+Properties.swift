extension NSEntityDescription {
  /// The properties of the entity: the inherited ones, starting with the most distant ancestor's,
  /// then its own.
  ///
  /// Setting it sets the entity's own properties and ignores inherited ones.
  public var properties: [NSPropertyDescription] {
    get { frozen?.properties ?? inheritedProperties + ownProperties }
    set {
      let inherited = Set(inheritedProperties.map(ObjectIdentifier.init))
      ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
    }
  }

  /// The inherited properties, starting with the most distant ancestor's.
  package var inheritedProperties: [NSPropertyDescription] {
    lineage.dropFirst().reversed().flatMap(\.ownProperties)
  }

  /// The properties by name, including inherited ones.
  public var propertiesByName: [String: NSPropertyDescription] {
    frozen?.propertiesByName ?? Self.byName(properties)
  }

  /// The attributes by name, including inherited ones.
  public var attributesByName: [String: NSAttributeDescription] {
    frozen?.attributesByName ?? Self.byName(properties.compactMap { $0 as? NSAttributeDescription })
  }

  /// The relationships by name, including inherited ones.
  public var relationshipsByName: [String: NSRelationshipDescription] {
    frozen?.relationshipsByName
      ?? Self.byName(properties.compactMap { $0 as? NSRelationshipDescription })
  }

  /// Returns the relationships whose destination is the given entity.
  public func relationships(forDestination entity: NSEntityDescription)
    -> [NSRelationshipDescription]
  {
    properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.destinationEntity === entity
    }
  }

  /// The properties by name.
  ///
  /// If an invalid model has two properties with one name, the last one is used. It belongs to the
  /// nearest entity.
  private static func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String:
    Property]
  {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { _, nearest in nearest })
  }

  /// The properties in the order of their numbers in rows and in generated code.
  ///
  /// The most distant ancestor's properties come first, sorted by name, then the next ancestor's.
  /// So an inherited property has the same number in every subentity.
  package var propertiesInRowOrder: [NSPropertyDescription] {
    lineage.reversed().flatMap {
      $0.ownProperties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }
}
