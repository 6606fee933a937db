import ManagedObjectModel
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The relationships between the objects of a store, on a connection with an open transaction.
struct ObjectGraph: ObjectRelations {
  /// A relationship of an entity, with the query of an object's members.
  struct Relation {
    let ordinal: Int
    let name: String
    fileprivate let query: String
  }

  let store: SQLiteRowStore
  private let names: LedgerNames
  private let connection: Connection
  private let plans = Plans()

  /// The relationships of the entities used so far.
  private final class Plans { var byLayout: [Int32: [Relation]] = [:] }

  init(_ store: SQLiteRowStore, _ names: LedgerNames, _ connection: Connection) {
    (self.store, self.names, self.connection) = (store, names, connection)
  }

  /// The relationships of an object's entity.
  func relations(of object: RowKey) -> [Relation] {
    if let known = plans.byLayout[object.layoutIndex] { return known }
    let found = makeRelations(object.layoutIndex)
    plans.byLayout[object.layoutIndex] = found
    return found
  }

  private func makeRelations(_ layoutIndex: Int32) -> [Relation] {
    let layout = store.schema.layouts[layoutIndex]
    guard let entity = store.schema.entity(layout), names.entity(layout.index) != nil else {
      return []
    }
    return layout.properties.indices.compactMap { ordinal in
      guard let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
        relationship.inverseRelationship != nil,
        let member = relationship.destinationEntity?.name.flatMap(store.schema.entity(named:)),
        let query = Self.query(entity, ordinal, relationship, member)
      else { return nil }
      return Relation(ordinal: ordinal, name: relationship.name, query: query)
    }
  }

  /// Returns the query of the keys and entities of an object's members, ordered by key.
  private static func query(
    _ entity: EntitySchema, _ ordinal: Int, _ relationship: NSRelationshipDescription,
    _ member: EntitySchema
  ) -> String? {
    let selection = "SELECT m.Z_PK, m.Z_ENT FROM \(member.table) m "
    let page = " AND m.Z_PK > ?2 ORDER BY m.Z_PK LIMIT ?3"
    guard relationship.isToMany else {
      return entity.columns[ordinal].map {
        selection + "JOIN \(entity.table) o ON m.Z_PK = o.\($0.name) WHERE o.Z_PK = ?1" + page
      }
    }
    switch entity.toMany[ordinal] {
    case .foreignKey(let column, _)?: return selection + "WHERE m.\(column.name) = ?1" + page
    case .join(let table, let owner, let column, _)?:
      return selection + "JOIN \(table.name) j ON m.Z_PK = j.\(column) WHERE j.\(owner) = ?1" + page
    case nil: return nil
    }
  }

  /// Returns the members of an object's relationship, ordered by key.
  ///
  /// - Parameters:
  ///   - last: The key after which they begin.
  ///   - limit: The greatest number of them; below zero for all.
  func members(
    of object: RowKey, _ relation: Relation, after last: Int64 = .min, limit: Int = -1
  ) throws -> [RowKey] {
    var found: [RowKey] = []
    var statement = try connection.prepare(relation.query)
    try statement.bind(object.key, last, limit)
    while try statement.step() {
      guard let entity = store.schema.entity(number: Int(statement.row.int64(at: 1))) else {
        continue
      }
      found.append(RowKey(key: statement.row.int64(at: 0), layoutIndex: Int32(entity.layout.index)))
    }
    return found
  }

  /// Whether an object is mirrored.
  func isMirrored(_ object: RowKey) -> Bool { names.entity(Int(object.layoutIndex)) != nil }

  func neighbours(of object: RowKey) throws -> [RowKey] { try neighbours(of: object, along: nil) }

  /// Returns the objects that an object is related to, in a repeatable order.
  ///
  /// - Parameter ordinal: The only relationship to follow; nil for all.
  func neighbours(of object: RowKey, along ordinal: Int?) throws -> [RowKey] {
    var found: [RowKey] = []
    for relation in relations(of: object) where ordinal.map({ $0 == relation.ordinal }) ?? true {
      found += try members(of: object, relation)
    }
    return found.filter { $0 != object && isMirrored($0) }
  }
}
