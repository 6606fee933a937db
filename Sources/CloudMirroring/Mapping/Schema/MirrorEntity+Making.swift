import ManagedObjectModel

extension MirrorEntity {
  /// What records have of an entity that breaks no rule.
  init(_ entity: NSEntityDescription) {
    let lineage = entity.lineage
    let properties = entity.properties.filter { !$0.isTransient }
    let relationships = properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.inverseRelationship != nil
    }
    let attributes = properties.compactMap { $0 as? NSAttributeDescription }
    name = entity.name ?? ""
    recordType = MirrorNames.prefix + (lineage.last?.name ?? "")
    isAbstract = entity.isAbstract
    self.lineage = lineage.compactMap(\.name)
    self.attributes = attributes.filter { !($0 is NSDerivedAttributeDescription) }
      .flatMap { MirrorAttribute.all(of: $0) }.sorted { $0.key < $1.key }
    references = relationships.compactMap(MirrorReference.init).sorted { $0.property < $1.property }
    orders = relationships.filter { $0.isToMany && $0.isOrdered }.map { MirrorOrder(property: $0.name) }
      .sorted { $0.property < $1.property }
    joins = Dictionary(relationships.compactMap { side in JoinSide(side).map { (side.name, $0) } }) { first, _ in first
    }
    members = Dictionary(relationships.compactMap(Self.member)) { first, _ in first }
    constraints = lineage.reversed().flatMap { ancestor in
      ancestor.uniquenessConstraintNames.map { MirrorConstraint(entity: ancestor.name ?? "", attributes: $0) }
    }
    placesByProperty = Dictionary(grouping: self.attributes.indices) { [attributes = self.attributes] in
      attributes[$0].property
    }
    fields = Self.fields(self.attributes, references, orders)
    fieldNames = Set(fields.map(\.name))
    sentProperties = Set(
      self.attributes.map(\.property) + references.map(\.property) + orders.map(\.property))
    ignoredFields = Set(
      attributes.filter { $0 is NSDerivedAttributeDescription }.map { MirrorNames.field($0.name) }
        + [MirrorNames.moveReceipt, MirrorNames.asset(MirrorNames.moveReceipt)])
  }

  private static func member(_ relationship: NSRelationshipDescription) -> (String, String)? {
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
  fileprivate init?(_ relationship: NSRelationshipDescription) {
    guard !relationship.isToMany, let inverse = relationship.inverseRelationship else { return nil }
    property = relationship.name
    destination = relationship.destinationEntity?.name ?? ""
    self.inverse = inverse.name
    isOneToOne = !inverse.isToMany
  }
}
