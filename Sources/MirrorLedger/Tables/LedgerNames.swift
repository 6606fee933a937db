import ManagedObjectModel
import ObjectRows
package import SQLiteDriver
import SQLiteStore

/// The numbers of entities and properties in the ledger's rows.
///
/// A number is assigned once and never reused. So pending entries keep their meaning when the model
/// changes: a migration updates the names in `PHM_NAME` (`MirroredNames`).
struct LedgerNames: Sendable {
  private let entities: [Int64?]
  private let layoutIndexes: [Int64: Int32]
  /// The bits of properties, by layout and ordinal; nil for those that are not mirrored.
  private let bits: [[Int?]]
  /// The many-to-many relationships, by number.
  package let relationships: [Int64: PairRelationship]
  /// The many-to-many relationships of an entity, by layout, with its side of the pairs.
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

  /// Returns the relationship of a pair, by the names in `PairKey`.
  package func relationship(_ entity: String, _ name: String) -> PairRelationship? {
    relationships.values.first { $0.entity == entity && $0.name == name }
  }

  /// Returns the bits of those properties that are mirrored; nil if none is.
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

  /// Returns the bits of all mirrored properties except some.
  func mask(without settled: OrdinalSet, _ layoutIndex: Int) -> PropertyMask {
    mask(OrdinalSet(bits[layoutIndex].indices.filter { !settled.contains($0) }), layoutIndex)
      ?? PropertyMask()
  }

  /// Returns the properties of bits.
  package func ordinals(_ mask: PropertyMask, _ layoutIndex: Int) -> OrdinalSet {
    let bits = bits[layoutIndex]
    return OrdinalSet(bits.indices.filter { bits[$0].map(mask.contains) ?? false })
  }

  /// Returns the bit of a property; nil if it is not mirrored.
  package func bit(_ ordinal: Int, _ layoutIndex: Int) -> Int? { bits[layoutIndex][ordinal] }

  /// Returns the number of an entity's properties.
  func propertyCount(_ layoutIndex: Int) -> Int { bits[layoutIndex].count }

  /// Returns the property of a bit.
  package func ordinal(ofBit bit: Int, _ layoutIndex: Int) -> Int? {
    bits[layoutIndex].firstIndex { $0 == bit }
  }

  // MARK: Creation

  /// Reads the numbers of a store's entities and properties, and assigns missing ones, in the open
  /// transaction.
  init(
    _ schema: StoreSchema, tracked: (RowLayout) -> OrdinalSet?, on connection: Connection
  ) throws(SQLiteError) {
    let count = schema.layouts.layouts.count
    var entities = [Int64?](repeating: nil, count: count)
    var bits = [[Int?]](repeating: [], count: count)
    var layoutIndexes: [Int64: Int32] = [:]
    var names = try NameTable(connection)
    var numbers: [String: Int64] = [:]
    let present = Set(schema.entities.map(\.name))
    for entity in schema.entities {
      numbers[entity.name] = try names.assignNumber(
        to: entity.name, .entity,
        formerly: entity.entity.renamingIdentifier.flatMap { present.contains($0) ? nil : $0 })
    }
    var mirrored: Set<Int> = []
    for entity in schema.entities {
      let index = entity.layout.index
      guard let number = numbers[entity.name], let properties = tracked(entity.layout) else {
        continue
      }
      entities[index] = number
      layoutIndexes[number] = Int32(index)
      bits[index] = try Self.bits(of: entity.layout, properties, entity: number, &names)
      mirrored.insert(index)
    }
    var pairs = try PairRelationships(schema, mirrored: mirrored, numbers: numbers)
    try pairs.find(&names)
    self.entities = entities
    self.bits = bits
    self.layoutIndexes = layoutIndexes
    relationships = pairs.byNumber
    sides = pairs.sides
  }

  /// Returns the bits of an entity's properties, by ordinal.
  private static func bits(
    of layout: RowLayout, _ tracked: OrdinalSet, entity: Int64, _ names: inout NameTable
  ) throws(SQLiteError) -> [Int?] {
    var bits = [Int?](repeating: nil, count: layout.properties.count)
    let present = Set(layout.properties.map(\.name))
    for ordinal in tracked.ordinals {
      let property = layout.properties[ordinal]
      bits[ordinal] = Int(
        try names.assignNumber(
          to: property.name, .property, owner: entity,
          formerly: property.renamingIdentifier.flatMap { present.contains($0) ? nil : $0 }))
    }
    return bits
  }
}

extension Connection {
  /// Returns the whole number in the first column of the first row.
  package func number(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
    if case .integer(let number)? = try value(sql, values) { return number }
    return nil
  }
}
