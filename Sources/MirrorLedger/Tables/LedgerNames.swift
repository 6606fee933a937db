import ManagedObjectModel
import ObjectRows
package import SQLiteDriver
import SQLiteStore

/// The numbers by which the ledger's rows name entities and properties.
///
/// A number is given once and never again. So what waits in the outbox keeps its meaning when the
/// model changes: a migration renames in the tables of names (`MirroredNames`), and what has lost
/// its name is gone from the model.
struct LedgerNames: Sendable {
  private let entities: [Int64?]
  private let layoutIndexes: [Int64: Int32]
  /// The bits of properties, by layout and ordinal; nil for those that are not mirrored.
  private let bits: [[Int?]]
  /// The many-to-many relationships, by number.
  package let relationships: [Int64: PairRelationship]
  /// The many-to-many relationships of an entity, by layout: which, and whether its objects come
  /// first in the pairs.
  private let sides: [[PairSide]]

  /// One end of a many-to-many relationship.
  struct PairSide: Sendable {
    package let ordinal: Int
    package let relationship: PairRelationship
    package let isFirst: Bool
  }

  /// The number of a mirrored entity.
  package func entity(_ layoutIndex: Int) -> Int64? { entities[layoutIndex] }

  /// The layout of an entity, by number.
  package func layoutIndex(_ entity: Int64) -> Int32? { layoutIndexes[entity] }

  package func sides(_ layoutIndex: Int) -> [PairSide] { sides[layoutIndex] }

  package func side(_ layoutIndex: Int, _ ordinal: Int) -> PairSide? {
    sides[layoutIndex].first { $0.ordinal == ordinal }
  }

  /// The relationship of a pair, by the names of entity and relationship that `PairKey` has.
  package func relationship(_ entity: String, _ name: String) -> PairRelationship? {
    relationships.values.first { $0.entity == entity && $0.name == name }
  }

  /// The bits of those of some properties that are mirrored; nil where none is.
  func mask(_ changed: OrdinalSet, _ layoutIndex: Int) -> PropertyMask? {
    var mask = PropertyMask()
    var isEmpty = true
    let bits = bits[layoutIndex]
    changed.forEach { ordinal in
      guard ordinal < bits.count, let bit = bits[ordinal] else { return }
      mask.insert(bit)
      isEmpty = false
    }
    return isEmpty ? nil : mask
  }

  /// The bits of all properties that are mirrored but some.
  func mask(without settled: OrdinalSet, _ layoutIndex: Int) -> PropertyMask {
    mask(OrdinalSet(bits[layoutIndex].indices.filter { !settled.contains($0) }), layoutIndex)
      ?? PropertyMask()
  }

  /// The properties that bits stand for.
  package func ordinals(_ mask: PropertyMask, _ layoutIndex: Int) -> OrdinalSet {
    let bits = bits[layoutIndex]
    return OrdinalSet(bits.indices.filter { bits[$0].map(mask.contains) ?? false })
  }

  /// The bit of one property, or nil where it is not mirrored.
  package func bit(_ ordinal: Int, _ layoutIndex: Int) -> Int? { bits[layoutIndex][ordinal] }

  /// How many properties an entity has.
  func propertyCount(_ layoutIndex: Int) -> Int { bits[layoutIndex].count }

  /// The property of a bit.
  package func ordinal(ofBit bit: Int, _ layoutIndex: Int) -> Int? {
    bits[layoutIndex].firstIndex { $0 == bit }
  }

  // MARK: Making

  /// Reads the numbers of a store's entities and properties, and gives some to those that have
  /// none, in the transaction that is open.
  init(
    _ schema: StoreSchema, tracked: (RowLayout) -> OrdinalSet?, on connection: Connection
  ) throws(SQLiteError) {
    let count = schema.layouts.layouts.count
    var entities = [Int64?](repeating: nil, count: count)
    var bits = [[Int?]](repeating: [], count: count)
    var layoutIndexes: [Int64: Int32] = [:]
    var names = try NameTable(connection)
    var numbers: [String: Int64] = [:]
    for entity in schema.entities {
      numbers[entity.name] = try names.number(
        of: entity.name, formerly: entity.entity.renamingIdentifier,
        known: schema.entities.map(\.name))
    }
    var mirrored: Set<Int> = []
    for entity in schema.entities {
      let index = entity.layout.index
      guard let number = numbers[entity.name], let properties = tracked(entity.layout) else {
        continue
      }
      entities[index] = number
      layoutIndexes[number] = Int32(index)
      bits[index] = try names.bits(of: entity.layout, properties, entity: number)
      mirrored.insert(index)
    }
    var pairs = try PairRelationships(schema, mirrored: mirrored, numbers: numbers)
    try pairs.find(on: connection)
    self.entities = entities
    self.bits = bits
    self.layoutIndexes = layoutIndexes
    relationships = pairs.byNumber
    sides = pairs.sides
  }
}

/// The tables of names, while they are filled.
private struct NameTable {
  let connection: Connection

  init(_ connection: Connection) throws(SQLiteError) { self.connection = connection }

  /// The number of an entity.
  ///
  /// If another program migrated the store, a name that no entity has is the entity's former name.
  mutating func number(of name: String, formerly former: String?, known: [String])
    throws(SQLiteError) -> Int64
  {
    if let number = try connection.number(
      "SELECT number FROM PHM_ENTITY WHERE name = ?", [.text(name)])
    {
      return number
    }
    if let former, former != name, !known.contains(former) {
      try connection.run(
        "UPDATE PHM_ENTITY SET name = ? WHERE name = ?", [.text(name), .text(former)])
      if connection.changes > 0 { return try number(of: name, formerly: nil, known: known) }
    }
    try connection.run("INSERT INTO PHM_ENTITY(name) VALUES(?)", [.text(name)])
    return connection.lastInsertedRowID
  }

  /// The bits of an entity's properties, by ordinal.
  mutating func bits(of layout: RowLayout, _ tracked: OrdinalSet, entity: Int64) throws(SQLiteError)
    -> [Int?]
  {
    let rows = try connection.rows(
      "SELECT name, bit FROM PHM_PROPERTY WHERE entity = ?", [.integer(entity)])
    var known: [String: Int] = [:]
    var next = 0
    for row in rows {
      guard case .integer(let bit) = row[1] else { continue }
      next = max(next, Int(bit) + 1)
      if case .text(let name) = row[0] { known[name] = Int(bit) }
    }
    var bits = [Int?](repeating: nil, count: layout.properties.count)
    let names = Set(layout.properties.map(\.name))
    for ordinal in tracked.ordinals {
      let property = layout.properties[ordinal]
      if let bit = known[property.name] {
        bits[ordinal] = bit
        continue
      }
      if let former = property.renamingIdentifier, !names.contains(former), let bit = known[former]
      {
        try connection.run(
          "UPDATE PHM_PROPERTY SET name = ? WHERE entity = ? AND name = ?",
          [.text(property.name), .integer(entity), .text(former)])
        bits[ordinal] = bit
        continue
      }
      try connection.run(
        "INSERT INTO PHM_PROPERTY(entity, bit, name) VALUES(?, ?, ?)",
        [.integer(entity), .integer(Int64(next)), .text(property.name)])
      bits[ordinal] = next
      next += 1
    }
    return bits
  }
}

extension Connection {
  /// A whole number of the first row.
  package func number(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
    if case .integer(let number)? = try value(sql, values) { return number }
    return nil
  }
}
