import ManagedObjectModel

/// A uniqueness constraint: objects of one entity, or of those below it, must not be alike in it.
package struct MirrorConstraint: Hashable, Sendable {
  /// The name of the entity that declares the constraint.
  package let entity: String
  /// The keys of the attributes.
  package let attributes: [String]
}

// A class, since what is read of each record refers to it, and copies of so many parts cost more
// than what is read.
/// An entity as records have it.
package final class MirrorEntity: Sendable {
  /// The name of the entity.
  package let name: String
  /// The name of the entity in the cloud, which records hold in `CD_entityName`.
  package let nameInCloud: String
  /// The type of the records of its objects: the prefix, and the name of the root of its
  /// inheritance in the cloud.
  package let recordType: String
  /// The type of records that programs write which know nothing of the root's renaming; they keep
  /// it.
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
  /// The many-to-many relationships by name: which join holds their pairs, and on which of its
  /// sides the entity stands.
  package let joins: [String: JoinSide]
  /// The names of the many-to-many relationships in the cloud, by their names.
  let joinNames: [String: String]
  /// The to-many relationships whose inverse is to-one, by name, with the inverse's name: records
  /// of the members hold them.
  package let members: [String: String]
  /// The uniqueness constraints, inherited ones included and first.
  package let constraints: [MirrorConstraint]
  /// The names of the properties that a record of the entity holds: attributes, references and
  /// orders.
  package let sentProperties: Set<String>
  /// The fields of the records of the entity's objects.
  package let fields: [MirrorField]
  /// The names of the fields.
  let fieldNames: Set<String>
  /// The attributes that a property consists of.
  private let attributesByProperty: [String: [MirrorAttribute]]
  /// The names of the properties that are attributes, in order.
  package let attributeProperties: [String]
  /// Fields that the entity does not send and that others may: those of derived attributes, and of
  /// moves between zones.
  package let ignoredFields: Set<String>

  /// What records have of an entity that breaks no rule.
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

  /// The types of the records of its objects.
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

  /// The side of the many-to-many relationship of a name in the cloud.
  package func join(inCloud name: String) -> JoinSide? {
    joinNames.first { $0.value == name }.flatMap { joins[$0.key] }
  }

  /// The order of a relationship.
  package func order(_ property: String) -> MirrorOrder? {
    orders.first { $0.property == property }
  }
}
