import ManagedObjectModel

extension MirrorEntity {
  /// Returns the names of a to-many relationship and its to-one inverse; otherwise nil.
  static func member(_ relationship: NSRelationshipDescription) -> (String, String)? {
    guard relationship.isToMany, let inverse = relationship.inverseRelationship, !inverse.isToMany
    else { return nil }
    return (relationship.name, inverse.name)
  }
}

extension MirrorAttribute {
  /// Returns the values of an attribute: one, or the elements of a composite one.
  static func all(of attribute: NSAttributeDescription, _ names: NamesInCloud) -> [MirrorAttribute]
  {
    leaves(
      attribute, property: attribute.name, elements: [], isEncrypted: false,
      path: [names[attribute.name]], alias: names.alias(of: attribute.name).map { [$0] })
  }

  private static func leaves(
    _ attribute: NSAttributeDescription, property: String, elements: [String], isEncrypted: Bool,
    path: [String], alias: [String]?
  ) -> [MirrorAttribute] {
    let isEncrypted = isEncrypted || attribute.allowsCloudEncryption
    if let composite = attribute as? NSCompositeAttributeDescription {
      let names = NamesInCloud(composite.elements)
      return composite.elements.flatMap { element in
        leaves(
          element, property: property, elements: elements + [element.name],
          isEncrypted: isEncrypted,
          path: path + [names[element.name]], alias: alias.map { $0 + [element.name] })
      }
    }
    return [
      MirrorAttribute(
        attribute, property: property, elements: elements, isEncrypted: isEncrypted,
        field: path.joined(separator: "_"), alias: alias?.joined(separator: "_"))
    ]
  }

  private init(
    _ attribute: NSAttributeDescription, property: String, elements: [String], isEncrypted: Bool,
    field: String, alias: String?
  ) {
    self.property = property
    self.elements = elements
    self.isEncrypted = isEncrypted
    key = ([property] + elements).joined(separator: ".")
    type = attribute.attributeType
    self.field = MirrorNames.field(field)
    assetField = Self.canBeLong(type) ? MirrorNames.asset(self.field) : nil
    exactField = Self.canBeInexact(type) ? MirrorNames.exact(field) : nil
    self.alias = alias.map(MirrorNames.field)
    isExternal = attribute.allowsExternalBinaryDataStorage
    substitute = elements.isEmpty ? MirrorValue(substituteOf: attribute) : .null
    description = attribute
  }

  private static func canBeInexact(_ type: NSAttributeType) -> Bool {
    [.dateAttributeType, .decimalAttributeType, .doubleAttributeType, .floatAttributeType].contains(
      type)
  }

  private static func canBeLong(_ type: NSAttributeType) -> Bool {
    [.stringAttributeType, .binaryDataAttributeType, .transformableAttributeType].contains(type)
  }
}

extension MirrorReference {
  /// Creates the reference; nil if records do not hold the relationship.
  init?(_ relationship: NSRelationshipDescription, _ names: NamesInCloud) {
    guard !relationship.isToMany, let inverse = relationship.inverseRelationship else { return nil }
    property = relationship.name
    destination = relationship.destinationEntity?.name ?? ""
    self.inverse = inverse.name
    isOneToOne = !inverse.isToMany
    isItsOwnInverse = !inverse.isToMany && inverse.placeInCloud == relationship.placeInCloud
    decides = inverse.isToMany || relationship.placeInCloud <= inverse.placeInCloud
    field = MirrorNames.field(names[property])
    alias = names.alias(of: property).map(MirrorNames.field)
  }
}

extension NSRelationshipDescription {
  /// A key that orders the sides of a relationship, independent of renaming.
  fileprivate var placeInCloud: String {
    let entity = declaringEntity?.renamingIdentifier ?? declaringEntity?.name ?? ""
    return "\(entity).\(renamingIdentifier ?? name)"
  }
}
