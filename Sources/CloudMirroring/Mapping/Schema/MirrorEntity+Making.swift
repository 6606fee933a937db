import ManagedObjectModel

extension MirrorEntity {
  /// A to-many relationship whose members hold it, with the name of its inverse.
  static func member(_ relationship: NSRelationshipDescription) -> (String, String)? {
    guard relationship.isToMany, let inverse = relationship.inverseRelationship, !inverse.isToMany else { return nil }
    return (relationship.name, inverse.name)
  }
}

extension MirrorAttribute {
  /// The values that an attribute consists of: one, or the elements of a composite one.
  static func all(of attribute: NSAttributeDescription) -> [MirrorAttribute] {
    leaves(attribute, property: attribute.name, elements: [], isEncrypted: false)
  }

  private static func leaves(
    _ attribute: NSAttributeDescription, property: String, elements: [String], isEncrypted: Bool
  ) -> [MirrorAttribute] {
    let isEncrypted = isEncrypted || attribute.allowsCloudEncryption
    if let composite = attribute as? NSCompositeAttributeDescription {
      return composite.elements.flatMap {
        leaves($0, property: property, elements: elements + [$0.name], isEncrypted: isEncrypted)
      }
    }
    return [MirrorAttribute(attribute, property: property, elements: elements, isEncrypted: isEncrypted)]
  }

  private init(_ attribute: NSAttributeDescription, property: String, elements: [String], isEncrypted: Bool) {
    let path = [property] + elements
    self.property = property
    self.elements = elements
    self.isEncrypted = isEncrypted
    key = path.joined(separator: ".")
    type = attribute.attributeType
    field = MirrorNames.field(path.joined(separator: "_"))
    assetField = Self.canBeLong(type) ? MirrorNames.asset(field) : nil
    substitute = elements.isEmpty ? MirrorValue(substituteOf: attribute) : .null
    description = attribute
  }

  private static func canBeLong(_ type: NSAttributeType) -> Bool {
    [.stringAttributeType, .binaryDataAttributeType, .transformableAttributeType].contains(type)
  }
}

extension MirrorReference {
  /// Nil for a relationship whose records hold nothing of it.
  init?(_ relationship: NSRelationshipDescription) {
    guard !relationship.isToMany, let inverse = relationship.inverseRelationship else { return nil }
    property = relationship.name
    destination = relationship.destinationEntity?.name ?? ""
    self.inverse = inverse.name
    isOneToOne = !inverse.isToMany
  }
}
