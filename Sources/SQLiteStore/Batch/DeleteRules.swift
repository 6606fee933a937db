import ManagedObjectModel
import ObjectRows

/// The delete rules of an entity's relationships, in terms of tables.
struct DeleteRules {
  /// A relationship whose destinations a rule concerns.
  struct Step {
    let relationship: NSRelationshipDescription
    let destination: EntitySchema
    /// The tables after `FROM`, with the destinations as `d`, up to the column of the owner's key.
    fileprivate let path: String

    /// The destinations of owners, after `SELECT … FROM`.
    ///
    /// - Parameter owners: A subselect of the owners' keys.
    func source(owners: String) -> String { "\(path) IN \(owners)" }
  }

  /// A to-one relationship that leads back to deleted rows.
  struct Nullification {
    /// The entity whose rows have the relationship.
    let entity: EntitySchema
    let relationship: NSRelationshipDescription
    let ordinal: Int
    let column: PropertyColumn
  }

  private(set) var cascades: [Step] = []
  private(set) var denials: [Step] = []
  private(set) var nullifications: [Nullification] = []

  init(_ entity: EntitySchema, in schema: StoreSchema) throws(StoreError) {
    for (ordinal, property) in entity.layout.properties.enumerated() {
      guard let relationship = property as? NSRelationshipDescription,
        entity.columns[ordinal] != nil || entity.toMany[ordinal] != nil
      else { continue }
      switch relationship.deleteRule {
      case .cascadeDeleteRule: cascades.append(try Step(relationship, ordinal, of: entity, schema))
      case .denyDeleteRule: denials.append(try Step(relationship, ordinal, of: entity, schema))
      case .nullifyDeleteRule:
        let step = try Nullification(inverseOf: relationship, in: schema)
        if let step { nullifications.append(step) }
      case .noActionDeleteRule: break
      }
    }
  }
}

extension DeleteRules.Step {
  fileprivate init(
    _ relationship: NSRelationshipDescription, _ ordinal: Int, of owner: EntitySchema,
    _ schema: StoreSchema
  ) throws(StoreError) {
    self.relationship = relationship
    destination = try schema.requireDestination(of: relationship)
    let table = destination.table
    switch owner.toMany[ordinal] {
    case .join(let join, let ownerColumn, let memberColumn, _):
      path =
        "\(join.name) j JOIN \(table) d ON d.Z_PK = j.\(memberColumn) WHERE j.\(ownerColumn)"
    case .foreignKey(let column, inverse: _):
      path = "\(table) d WHERE d.\(column.name)"
    case nil:
      let column = try owner.requireColumn(of: relationship).name
      path = "\(owner.table) o JOIN \(table) d ON d.Z_PK = o.\(column) WHERE o.Z_PK"
    }
  }
}

extension DeleteRules.Nullification {
  /// The inverse of a relationship; nil if it is not in the destination's own rows.
  fileprivate init?(inverseOf relationship: NSRelationshipDescription, in schema: StoreSchema)
    throws(StoreError)
  {
    guard let inverse = relationship.inverseRelationship, !inverse.isToMany, !inverse.isTransient
    else { return nil }
    entity = try schema.requireDestination(of: relationship)
    column = try entity.requireColumn(of: inverse)
    self.relationship = inverse
    guard let ordinal = entity.layout.ordinal(of: inverse.name) else { return nil }
    self.ordinal = ordinal
  }
}
