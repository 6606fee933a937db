import ManagedObjectModel
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The relationships between the objects of a store, over a connection whose transaction is open.
struct ObjectGraph: ObjectRelations {
  private let store: SQLiteRowStore
  private let names: LedgerNames
  private let connection: Connection

  init(_ store: SQLiteRowStore, _ names: LedgerNames, _ connection: Connection) {
    (self.store, self.names, self.connection) = (store, names, connection)
  }

  func neighbours(of object: RowKey) throws -> [RowKey] {
    try neighbours(of: object, along: nil)
  }

  /// The objects that an object is related to, in an order of their own.
  ///
  /// - Parameter ordinal: The only relationship to follow; nil for all.
  func neighbours(of object: RowKey, along ordinal: Int?) throws -> [RowKey] {
    let layout = store.schema.layouts[object.layoutIndex]
    guard let entity = store.schema.entity(layout), names.entity(layout.index) != nil else {
      return []
    }
    var found: [RowKey] = []
    for place in layout.properties.indices where ordinal.map({ $0 == place }) ?? true {
      guard let relationship = layout.properties[place] as? NSRelationshipDescription,
        relationship.inverseRelationship != nil,
        let member = relationship.destinationEntity?.name.flatMap(store.schema.entity(named:)),
        let query = Self.query(entity, place, relationship, member)
      else { continue }
      var statement = try connection.prepare(query)
      try statement.bind(object.key, at: 1)
      while try statement.step() {
        let number = Int(statement.row.int64(at: 1))
        guard let entity = store.schema.entity(number: number) else { continue }
        found.append(
          RowKey(key: statement.row.int64(at: 0), layoutIndex: Int32(entity.layout.index)))
      }
    }
    return found.filter { $0 != object && names.entity(Int($0.layoutIndex)) != nil }
  }

  /// The query of the keys and entity numbers of an object's members.
  private static func query(
    _ entity: EntitySchema, _ ordinal: Int, _ relationship: NSRelationshipDescription,
    _ member: EntitySchema
  ) -> String? {
    let selection = "SELECT m.Z_PK, m.Z_ENT FROM \(member.table) m "
    guard relationship.isToMany else {
      return entity.columns[ordinal].map {
        selection + "JOIN \(entity.table) o ON m.Z_PK = o.\($0.name) WHERE o.Z_PK = ?1"
      }
    }
    switch entity.toMany[ordinal] {
    case .foreignKey(let column, _)?:
      return selection + "WHERE m.\(column.name) = ?1 ORDER BY m.Z_PK"
    case .join(let table, let owner, let column, _)?:
      return selection + "JOIN \(table.name) j ON m.Z_PK = j.\(column) WHERE j.\(owner) = ?1 "
        + "ORDER BY m.Z_PK"
    case nil: return nil
    }
  }
}
