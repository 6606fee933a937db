import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// A many-to-many relationship, with the form of its pairs in the ledger and in the store.
struct PairRelationship: Hashable, Sendable {
  package let number: Int64
  /// The name of the entity that declares the relationship from the first to the second.
  package let entity: String
  package let name: String
  let joinTable: String
  package let firstColumn: String
  package let secondColumn: String
  /// The tables of the objects at both ends.
  let firstTable: String
  let secondTable: String
  /// Whether the relationship is its own inverse: the join table has two rows for each pair.
  package let isReflexive: Bool
}

/// Finds the many-to-many relationships of a store.
struct PairRelationships {
  private let schema: StoreSchema
  private let mirrored: Set<Int>
  private let numbers: [String: Int64]
  private(set) var byNumber: [Int64: PairRelationship] = [:]
  private(set) var sides: [[LedgerNames.PairSide]]
  private var known: [String: PairRelationship] = [:]

  init(_ schema: StoreSchema, mirrored: Set<Int>, numbers: [String: Int64]) throws(SQLiteError) {
    self.schema = schema
    self.mirrored = mirrored
    self.numbers = numbers
    sides = Array(repeating: [], count: schema.layouts.layouts.count)
  }

  mutating func find(_ names: inout NameTable) throws(SQLiteError) {
    for entity in schema.entities where mirrored.contains(entity.layout.index) {
      for (ordinal, storage) in entity.toMany.enumerated() {
        guard case .join(let table, let ownerColumn, _, _)? = storage,
          let relationship = entity.layout.properties[ordinal] as? NSRelationshipDescription,
          let found = try pair(table, &names)
        else { continue }
        let isFirst = found.firstColumn == ownerColumn
        sides[entity.layout.index].append(
          LedgerNames.PairSide(
            ordinal: ordinal, relationship: found, isFirst: isFirst || relationship.isReflexive))
      }
    }
  }

  /// Returns the relationship of a join table, in the direction that the ledger already uses.
  private mutating func pair(_ table: JoinTable, _ names: inout NameTable) throws(SQLiteError)
    -> PairRelationship?
  {
    if let known = known[table.name] { return known }
    guard let forward = Direction(table.relationship, schema, numbers) else { return nil }
    let backward = table.relationship.inverseRelationship.flatMap { Direction($0, schema, numbers) }
    func number(_ direction: Direction) -> Int64? {
      names.number(of: direction.name, .relationship, owner: direction.entity)
    }
    let isForward = number(forward) != nil || backward.flatMap(number) == nil
    let direction = isForward ? forward : backward ?? forward
    let number = try names.assignNumber(to: direction.name, .relationship, owner: direction.entity)
    let relationship = PairRelationship(
      number: number, entity: direction.entityName, name: direction.name, joinTable: table.name,
      firstColumn: isForward ? table.firstColumn : table.secondColumn,
      secondColumn: isForward ? table.secondColumn : table.firstColumn,
      firstTable: direction.ownerTable,
      secondTable: direction.memberTable, isReflexive: table.isReflexive)
    known[table.name] = relationship
    byNumber[number] = relationship
    return relationship
  }

  /// A many-to-many relationship in one direction.
  private struct Direction {
    let entity: Int64
    let entityName: String
    let name: String
    let ownerTable: String
    let memberTable: String

    init?(
      _ relationship: NSRelationshipDescription, _ schema: StoreSchema, _ numbers: [String: Int64]
    ) {
      guard let owner = relationship.declaringEntity?.name, let number = numbers[owner],
        let table = schema.entity(named: owner)?.table,
        let member = relationship.destinationEntity?.name.flatMap(schema.entity(named:))?.table
      else { return nil }
      (entity, entityName, name, ownerTable, memberTable) = (
        number, owner, relationship.name, table, member
      )
    }
  }
}

extension NSRelationshipDescription {
  fileprivate var isReflexive: Bool { inverseRelationship === self }
}
