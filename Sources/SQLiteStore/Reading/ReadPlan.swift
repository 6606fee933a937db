import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// The plan for reading the rows of an entity and its subentities: the columns, and the slots that
/// they fill.
// Sendable: immutable after initialization.
final class ReadPlan: @unchecked Sendable {
  /// The columns that a statement selects before those of the plan: `Z_ENT`, `Z_PK`, `Z_OPT`.
  static let leadingColumns = ["Z_ENT", "Z_PK", "Z_OPT"]

  let schema: EntitySchema
  /// The columns, without the leading ones.
  let columns: [String]
  /// The steps for each layout.
  let entities: ContiguousArray<EntityRead>
  /// The index in `entities` of each number, or -1.
  private let places: ContiguousArray<Int32>
  /// The statement that finds one row by its key.
  let selectByKey: RowQuery
  /// The statement that finds the rows whose keys are in the first integer array.
  let selectByKeys: RowQuery

  /// Creates the plan that reads rows of an entity.
  ///
  /// - Parameter entities: The entity and, if they are read too, its subentities.
  init(_ schema: EntitySchema, entities: [EntitySchema], layouts: ModelLayouts) {
    var columns = ColumnList()
    let reads = entities.map { EntityRead($0, layouts: layouts, columns: &columns) }
    var places = ContiguousArray<Int32>(
      repeating: -1, count: (entities.map(\.number).max() ?? 0) + 1)
    for (place, entity) in entities.enumerated() { places[entity.number] = Int32(place) }
    self.schema = schema
    self.columns = columns.names
    self.entities = ContiguousArray(reads)
    self.places = places
    let select =
      "SELECT \(Self.list(columns.names, of: "t0")) FROM \(schema.table) t0 WHERE t0.Z_PK"
    let count = Self.leadingColumns.count + columns.names.count
    selectByKey = RowQuery(collecting: select + " = ?", columns: count)
    selectByKeys = RowQuery(
      collecting: select + " IN (SELECT value FROM _Z_intarray0)", columns: count)
  }

  /// The index of an entity in `entities`, or -1: rows of other entities are skipped.
  func place(ofEntity number: Int64) -> Int {
    guard number > 0, number < Int64(places.count) else { return -1 }
    return Int(places[Int(number)])
  }

  /// The leading columns and those of the plan as a select list.
  func selectList(of alias: String) -> String { Self.list(columns, of: alias) }

  private static func list(_ columns: [String], of alias: String) -> String {
    (leadingColumns + columns).map { "\(alias).\($0)" }.joined(separator: ", ")
  }
}

/// The steps of reading a row of one entity.
// Sendable: immutable after initialization.
final class EntityRead: @unchecked Sendable {
  /// The entity's number in the store.
  let number: Int64
  let layout: RowLayout
  let reads: ColumnReads
  let composites: [CompositeRead]

  init(_ schema: EntitySchema, layouts: ModelLayouts, columns: inout ColumnList) {
    number = Int64(schema.number)
    layout = schema.layout
    var reads = ContiguousArray<ColumnRead>()
    var composites: [CompositeRead] = []
    for (ordinal, column) in schema.columns.enumerated() {
      guard let column, let form = ColumnEncoding(layout.properties[ordinal]) else { continue }
      var companion: Int32 = -1
      if form == .composite {
        companion = Int32(composites.count)
        composites.append(CompositeRead(column, columns: &columns))
      } else if let entityColumn = column.entityColumn {
        companion = columns.place(of: entityColumn)
      }
      reads.append(
        ColumnRead(
          form: form, slot: layout.slots[ordinal],
          column: form == .composite ? -1 : columns.place(of: column.name),
          companion: companion, destination: Self.destination(layout.properties[ordinal], layouts)))
    }
    self.reads = ColumnReads(copying: reads)
    self.composites = composites
  }

  deinit { reads.deallocate() }

  private static func destination(_ property: NSPropertyDescription, _ layouts: ModelLayouts)
    -> Int32
  {
    let entity = (property as? NSRelationshipDescription)?.destinationEntity
    return Int32(entity.flatMap { layouts[$0] }?.index ?? -1)
  }
}

extension CompositeRead {
  init(_ column: PropertyColumn, columns: inout ColumnList) {
    var leaves: [Leaf] = []
    for leaf in column.leaves {
      guard let form = ColumnEncoding(leaf.attribute) else { continue }
      leaves.append(Leaf(path: leaf.path, form: form, column: columns.place(of: leaf.name)))
    }
    self.leaves = leaves
  }
}

/// Distinct columns, in the order of their first use.
struct ColumnList {
  private(set) var names: [String] = []
  private var places: [String: Int32] = [:]

  /// The index of a column in a statement, including the leading columns.
  mutating func place(of name: String) -> Int32 {
    if let place = places[name] { return place }
    let place = Int32(ReadPlan.leadingColumns.count + names.count)
    names.append(name)
    places[name] = place
    return place
  }
}
