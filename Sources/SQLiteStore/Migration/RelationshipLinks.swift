import ManagedObjectModel
import ObjectRows

/// A query of the older tables for the pairs of a relationship, wherever they are stored.
///
/// Its columns are the owner's key `a`, the member's key `b`, the member's order key `ab` among the
/// owner's members, and the owner's order key `ba` among the member's owners. An order key is NULL
/// if its end of the relationship is not ordered.
struct RelationshipLinks {
  let query: String
  let hasMemberOrder: Bool
  let hasOwnerOrder: Bool

  /// The pairs of an older entity's relationship, or nil if it is not stored.
  init?(ordinal: Int, of entity: EntitySchema, in schema: StoreSchema) {
    guard let relationship = entity.layout.properties[ordinal] as? NSRelationshipDescription else {
      return nil
    }
    if !relationship.isToMany {
      guard let column = entity.columns[ordinal] else { return nil }
      self.init(
        owner: "Z_PK", member: column.name, memberOrder: nil, ownerOrder: column.orderColumn,
        table: entity.table)
      return
    }
    switch entity.toMany[ordinal] {
    case .foreignKey(let column, _):
      guard let members = relationship.destinationEntity?.name.flatMap(schema.entity(named:))
      else { return nil }
      self.init(
        owner: column.name, member: "Z_PK", memberOrder: column.orderColumn, ownerOrder: nil,
        table: members.table)
    case .join(let table, let owner, let member, let order):
      self.init(
        owner: owner, member: member, memberOrder: order,
        ownerOrder: owner == table.firstColumn ? table.firstOrderColumn : table.secondOrderColumn,
        table: table.name)
    case nil: return nil
    }
  }

  private init(
    owner: String, member: String, memberOrder: String?, ownerOrder: String?, table: String
  ) {
    query =
      """
      SELECT \(owner) a, \(member) b, \(memberOrder ?? "NULL") ab, \(ownerOrder ?? "NULL") ba \
      FROM \(table) WHERE \(owner) NOT NULL AND \(member) NOT NULL
      """
    hasMemberOrder = memberOrder != nil
    hasOwnerOrder = ownerOrder != nil
  }

  private init(query: String, hasMemberOrder: Bool, hasOwnerOrder: Bool) {
    self.query = query
    self.hasMemberOrder = hasMemberOrder
    self.hasOwnerOrder = hasOwnerOrder
  }

  /// The same pairs from the other end.
  var reversed: RelationshipLinks {
    RelationshipLinks(
      query: "SELECT b a, a b, ba ab, ab ba FROM (\(query))", hasMemberOrder: hasOwnerOrder,
      hasOwnerOrder: hasMemberOrder)
  }

  /// The former pairs of a newer entity's relationship: its own, or those of its inverse.
  static func former(of ordinal: Int, in entity: EntitySchema, _ mapping: MigrationMapping)
    -> RelationshipLinks?
  {
    if let source = mapping.source(of: entity),
      let former = mapping.sourceOrdinal(of: ordinal, in: entity),
      let links = RelationshipLinks(ordinal: former, of: source, in: mapping.source)
    {
      return links
    }
    guard let relationship = entity.layout.properties[ordinal] as? NSRelationshipDescription,
      let inverse = relationship.inverseRelationship,
      let other = relationship.destinationEntity?.name.flatMap(mapping.destination.entity(named:)),
      let source = mapping.source(of: other), let place = other.layout.ordinal(of: inverse.name),
      let former = mapping.sourceOrdinal(of: place, in: other)
    else { return nil }
    return RelationshipLinks(ordinal: former, of: source, in: mapping.source)?.reversed
  }
}
