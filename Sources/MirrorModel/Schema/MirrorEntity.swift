import ManagedObjectModel

/// A uniqueness constraint: objects of an entity and its subentities differ in these attributes.
package struct MirrorConstraint: Hashable, Sendable {
  /// The name of the entity that declares the constraint.
  package let entity: String
  /// The keys of the attributes.
  package let attributes: [String]
}

// A class, because every decoded record refers to it, and copying so many parts costs more than
// decoding.
/// An entity as records hold it.
package final class MirrorEntity: Sendable {
  /// The name of the entity.
  package let name: String
  /// The name of the entity in the cloud, which records hold in `CD_entityName`.
  package let nameInCloud: String
  /// The record type: the prefix, and the cloud name of the root of the inheritance.
  package let recordType: String
  /// The record type in programs that do not know the root's renaming.
  ///
  /// Records of this type keep it.
  package let recordTypeAlias: String?
  /// Whether the entity has no objects of its own.
  package let isAbstract: Bool
  /// The name of the entity and those of its ancestors, the root's last.
  package let lineage: [String]
  /// The attributes that are sent, in the order of their keys.
  package let attributes: [MirrorAttribute]
  /// The to-one relationships, in the order of their names.
  package let references: [MirrorReference]
  /// The ordered to-many relationships, in the order of their names.
  package let orders: [MirrorOrder]
  /// The many-to-many relationships by name, with the join of their pairs and the entity's side.
  package let joins: [String: JoinSide]
  /// The cloud names of the many-to-many relationships, by name.
  let joinNames: [String: String]
  /// The to-many relationships with a to-one inverse, by name, with the inverse's name.
  ///
  /// The members' records hold them.
  package let members: [String: String]
  /// The uniqueness constraints, inherited ones first.
  package let constraints: [MirrorConstraint]
  /// The properties that a record of the entity holds: attributes, references and orders.
  package let sentProperties: Set<String>
  /// The fields of the entity's records.
  package let fields: [MirrorField]
  /// The names of the fields.
  let fieldNames: Set<String>
  /// The attributes of each property.
  private let attributesByProperty: [String: [MirrorAttribute]]
  /// The names of the attribute properties, sorted.
  package let attributeProperties: [String]
  /// The fields that only other programs write: derived attributes, and Apple's move receipts.
  package let ignoredFields: Set<String>

  /// Creates the mapping of an entity, which must satisfy all rules.
  init(_ entity: NSEntityDescription) {
    let lineage = entity.lineage
    let properties = entity.properties.filter { !$0.isTransient }
    let relationships = properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.inverseRelationship != nil
    }
    let attributes = properties.compactMap { $0 as? NSAttributeDescription }
    let names = NamesInCloud(properties)
    let entityNames = NamesInCloud(entity.managedObjectModel.entities)
    name = entity.name ?? ""
    nameInCloud = entityNames[name]
    recordType = MirrorNames.prefix + entityNames[lineage.last?.name ?? ""]
    recordTypeAlias = entityNames.alias(of: lineage.last?.name ?? "").map {
      MirrorNames.prefix + $0
    }
    isAbstract = entity.isAbstract
    self.lineage = lineage.compactMap(\.name)
    self.attributes = attributes.filter { !($0 is NSDerivedAttributeDescription) }
      .flatMap { MirrorAttribute.all(of: $0, names) }.sorted { $0.key < $1.key }
    references = relationships.compactMap { MirrorReference($0, names) }.sorted {
      $0.property < $1.property
    }
    orders = relationships.filter { $0.isToMany && $0.isOrdered }.map {
      MirrorOrder(property: $0.name, field: MirrorNames.order(names[$0.name]))
    }.sorted { $0.property < $1.property }
    joins = Dictionary(relationships.compactMap { side in JoinSide(side).map { (side.name, $0) } })
    { first, _ in first
    }
    joinNames = joins.keys.reduce(into: [:]) { $0[$1] = names[$1] }
    members = Dictionary(relationships.compactMap(Self.member)) { first, _ in first }
    constraints = lineage.reversed().flatMap { ancestor in
      ancestor.uniquenessConstraintNames.map {
        MirrorConstraint(entity: ancestor.name ?? "", attributes: $0)
      }
    }
    attributesByProperty = Dictionary(grouping: self.attributes, by: \.property)
    attributeProperties = attributesByProperty.keys.sorted()
    fields = Self.fields(self.attributes, references, orders, mustBeUnique: !constraints.isEmpty)
    fieldNames = Set(
      fields.map(\.name) + references.compactMap(\.alias)
        + self.attributes.flatMap { [$0.alias, $0.assetAlias, $0.exactAlias].compactMap(\.self) })
    sentProperties = Set(
      self.attributes.map(\.property) + references.map(\.property) + orders.map(\.property))
    ignoredFields = Set(
      attributes.filter { $0 is NSDerivedAttributeDescription }.map { MirrorNames.field($0.name) }
        + [MirrorNames.moveReceipt, MirrorNames.asset(MirrorNames.moveReceipt)])
  }

  /// The types of the entity's records.
  package var recordTypes: [String] { [recordType] + (recordTypeAlias.map { [$0] } ?? []) }

  /// The attribute of a key.
  package func attribute(_ key: String) -> MirrorAttribute? { attributes.first { $0.key == key } }

  /// The attributes of a property: one, or those that a composite attribute consists of.
  package func attributes(of property: String) -> [MirrorAttribute] {
    attributesByProperty[property] ?? []
  }

  /// The names of the fields that may hold a property.
  package func fields(of property: String) -> [String] {
    let own = attributes(of: property).flatMap {
      [$0.field, $0.assetField, $0.exactField, $0.alias, $0.assetAlias, $0.exactAlias]
    }
    let references = references.filter { $0.property == property }.flatMap { [$0.field, $0.alias] }
    let orders = orders.filter { $0.property == property }.flatMap { [$0.field, $0.assetField] }
    return own.compactMap(\.self) + references.compactMap(\.self) + orders
  }

  /// The reference of a relationship.
  package func reference(_ property: String) -> MirrorReference? {
    references.first { $0.property == property }
  }

  /// Returns the side of the many-to-many relationship with a name in the cloud.
  package func join(inCloud name: String) -> JoinSide? {
    joinNames.first { $0.value == name }.flatMap { joins[$0.key] }
  }

  /// The order of a relationship.
  package func order(_ property: String) -> MirrorOrder? {
    orders.first { $0.property == property }
  }
}
