import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Many-to-many relationships and orders.
extension SaveTransaction {
  func writeMemberships() throws {
    for change in changes.memberships {
      let storage = try MembershipStorage(change, in: store.schema)
      for member in change.removed { try remove(member.key, from: change.owner, storage) }
      for member in change.added { try add(member.key, to: change.owner, storage) }
    }
    // Orders come last, because the inverse may add a pair.
    for change in changes.memberships {
      guard let order = change.order else { continue }
      try setOrder(
        order.map(\.key), of: change.owner, try MembershipStorage(change, in: store.schema))
    }
  }

  private func add(_ member: Int64, to owner: Int64, _ storage: MembershipStorage)
    throws(SQLiteError)
  {
    guard let insert = storage.insert else { return }
    try run(insert, owner, member)
    if storage.isReflexive { try run(insert, member, owner) }
  }

  private func remove(_ member: Int64, from owner: Int64, _ storage: MembershipStorage)
    throws(SQLiteError)
  {
    guard let delete = storage.delete else { return }
    try run(delete, owner, member)
    if storage.isReflexive { try run(delete, member, owner) }
  }

  /// Writes the changed order keys of an owner's members.
  private func setOrder(_ members: [Int64], of owner: Int64, _ storage: MembershipStorage) throws {
    guard let order = storage.order else { return }
    let present = try presentNumbers(of: owner, order.select)
    let before = members.map { present[$0] ?? nil }
    for (place, number) in OrderKeys.assigned(to: before).enumerated() where before[place] != number
    {
      try run(order.update, number, members[place], order.updateNamesOwner ? owner : nil)
    }
  }

  private func presentNumbers(of owner: Int64, _ select: String) throws(SQLiteError) -> [Int64:
    Int64?]
  {
    var statement = try connection.prepare(select)
    try statement.bind(owner, at: 1)
    var numbers: [Int64: Int64?] = [:]
    while try statement.step() {
      let number = statement.row.isNull(at: 1) ? nil : statement.row.int64(at: 1)
      numbers[statement.row.int64(at: 0)] = .some(number)
    }
    return numbers
  }
}

/// The statements that change the members of one relationship.
struct MembershipStorage {
  /// The statement with the parameters owner and member; nil if the members' to-one relationship
  /// writes the owner's key.
  let insert: String?
  let delete: String?
  let isReflexive: Bool
  let order: Order?

  struct Order {
    /// The statement with the parameter owner, for the members' keys and order keys.
    let select: String
    /// The statement with the parameters order key and member, and the owner if it needs one.
    let update: String
    let updateNamesOwner: Bool
  }

  init(_ change: MembershipChange, in schema: StoreSchema) throws(StoreError) {
    let owner = try schema.requireEntity(change.layout)
    let storage = change.layout.ordinal(of: change.relationship.name).flatMap { owner.toMany[$0] }
    switch storage {
    case .join(let table, let ownerColumn, let memberColumn, let orderColumn):
      let pair = "\(ownerColumn) = ? AND \(memberColumn) = ?"
      // A pair that already exists keeps its order keys.
      insert = "INSERT OR IGNORE INTO \(table.name)(\(ownerColumn), \(memberColumn)) VALUES(?, ?)"
      delete = "DELETE FROM \(table.name) WHERE \(pair)"
      isReflexive = table.isReflexive
      order = orderColumn.map { column in
        Order(
          select: "SELECT \(memberColumn), \(column) FROM \(table.name) WHERE \(ownerColumn) = ?",
          update:
            """
            UPDATE \(table.name) SET \(column) = ? WHERE \(memberColumn) = ? AND \
            \(ownerColumn) = ?
            """,
          updateNamesOwner: true)
      }
    case .foreignKey(let column, let inverse):
      let members = try schema.requireDestination(of: change.relationship)
      let statements = OwnerStatements(column, members: members, owner: owner)
      insert = inverse == nil ? statements.insert : nil
      delete = inverse == nil ? statements.delete : nil
      isReflexive = false
      order = column.orderColumn.map { order in
        Order(
          select: "SELECT Z_PK, \(order) FROM \(members.table) WHERE \(column.name) = ?",
          update: "UPDATE \(members.table) SET \(order) = ? WHERE Z_PK = ?", updateNamesOwner: false
        )
      }
    case nil:
      throw StoreError(
        .incompatibleSchema,
        """
        The store keeps no members for the relationship \(change.relationship.name) of the \
        entity \(owner.name).
        """,
        context: ["entity": owner.name, "relationship": change.relationship.name])
    }
  }
}
