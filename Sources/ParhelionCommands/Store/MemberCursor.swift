import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Reads the members of a to-many relationship for each owner in turn, in the order of the owners'
/// keys.
final class MemberCursor {
  let name: String
  private var statement: Statement
  private var owner: Int64?
  private var member: Int64 = 0

  /// Creates a cursor for a property of an entity; nil if it is not a stored to-many relationship.
  init?(ordinal: Int, of entity: EntitySchema, in schema: StoreSchema, _ connection: Connection)
    throws(SQLiteError)
  {
    guard let sql = Self.query(ordinal: ordinal, of: entity, in: schema) else { return nil }
    name = entity.layout.properties[ordinal].name
    statement = try connection.prepare(sql)
    try advance()
  }

  private static func query(ordinal: Int, of entity: EntitySchema, in schema: StoreSchema)
    -> String?
  {
    switch entity.toMany[ordinal] {
    case .foreignKey(let column, _):
      let relationship = entity.layout.properties[ordinal] as? NSRelationshipDescription
      guard let members = relationship?.destinationEntity?.name.flatMap(schema.entity(named:))
      else { return nil }
      let order = [column.name, column.orderColumn, "Z_PK"].compactMap { $0 }.joined(
        separator: ", ")
      return
        """
        SELECT \(column.name), Z_PK FROM \(members.table) WHERE \(column.name) NOT NULL ORDER \
        BY \(order)
        """
    case .join(let table, let owner, let member, let order):
      let terms = [owner, order, member].compactMap { $0 }.joined(separator: ", ")
      return "SELECT \(owner), \(member) FROM \(table.name) ORDER BY \(terms)"
    case nil: return nil
    }
  }

  /// The members of an owner, whose key must be greater than the keys of earlier calls.
  func members(of key: Int64) throws(SQLiteError) -> [Int64] {
    while let owner, owner < key { try advance() }
    var members: [Int64] = []
    while owner == key {
      members.append(member)
      try advance()
    }
    return members
  }

  private func advance() throws(SQLiteError) {
    guard try statement.step() else {
      owner = nil
      return
    }
    owner = statement.row.int64(at: 0)
    member = statement.row.int64(at: 1)
  }
}
