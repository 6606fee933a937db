import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// A uniqueness constraint in terms of columns.
struct UniqueConstraint {
  struct Part {
    let ordinal: Int
    let column: String
  }

  /// The names of the properties in the model.
  let names: [String]
  /// The entity that declares the constraint.
  let entity: NSEntityDescription
  let parts: [Part]

  /// The constraints on an entity's rows: its own, and those of its ancestors.
  static func all(of schema: EntitySchema) -> [UniqueConstraint] {
    schema.layout.entity.lineage.reversed().flatMap { entity in
      entity.uniquenessConstraintNames.compactMap { UniqueConstraint($0, of: entity, in: schema) }
    }
  }

  private init?(_ names: [String], of entity: NSEntityDescription, in schema: EntitySchema) {
    var parts: [Part] = []
    for name in names {
      let path = name.split(separator: ".").map(String.init)
      guard let first = path.first, let ordinal = schema.layout.ordinal(of: first),
        let column = schema.columns[ordinal]
      else { return nil }
      let leaf = column.leaves.first { $0.path == Array(path.dropFirst()) }
      parts.append(Part(ordinal: ordinal, column: leaf?.name ?? column.name))
    }
    self.names = names
    self.entity = entity
    self.parts = parts
  }

  /// Another row that already has a row's new values, if there is one.
  func other(
    than change: RowChange, in schema: EntitySchema, _ binder: RowBinder, _ connection: Connection
  ) throws -> (key: Int64, entity: Int64)? {
    var writes = ColumnWrites(firstParameter: 2)
    for ordinal in Set(parts.map(\.ordinal)).sorted() { writes.add(ordinal, of: schema) }
    let conditions = writes.columns.filter { column in parts.contains { $0.column == column.name } }
      .map { "\($0.name) = ?\($0.parameter)" }
    // SQLite rejects a parameter above the highest one in the text, so the text contains all.
    let all = writes.columns.map { "?\($0.parameter) IS ?\($0.parameter)" }
    let sql =
      "SELECT Z_PK, Z_ENT FROM \(schema.table) WHERE Z_PK <> ?1 AND "
      + (conditions + all).joined(separator: " AND ")
    var statement = try connection.prepare(sql)
    try statement.bind(change.row.key, at: 1)
    try binder.bind(writes.writes, of: change.row, schema.layout, to: &statement)
    guard try statement.step() else { return nil }
    return (statement.row.int64(at: 0), statement.row.int64(at: 1))
  }
}

/// Groups rows that need the same values, together with the row that has them.
struct UniquenessGroups {
  struct Group {
    let constraint: UniqueConstraint
    let other: Int64
    let otherEntity: Int64
    /// Whether the save also writes the row that has the values.
    let otherIsSaved: Bool
    var rows: [RowKey]
  }

  /// A row, identified by its key and its root entity.
  private struct SavedRow: Hashable {
    let key: Int64
    let rootIndex: Int
  }

  /// The values of a constraint in one row.
  private struct Values: Hashable {
    let constraint: [String]
    let entity: ObjectIdentifier
    let row: Int64
  }

  /// The rows that the save writes.
  private var saved: [SavedRow: RowKey] = [:]
  private var groups: [Group] = []
  /// The index in `groups` of the group that needs the values.
  private var places: [Values: Int] = [:]

  init(_ changes: StoreChanges) {
    for written in [changes.inserted, changes.updated] {
      for change in written {
        let row = SavedRow(key: change.row.key, rootIndex: change.layout.rootIndex)
        let key = RowKey(key: change.row.key, layoutIndex: Int32(change.layout.index))
        if saved[row] == nil { saved[row] = key }
      }
    }
  }

  mutating func add(
    _ change: RowChange, against other: (key: Int64, entity: Int64), _ constraint: UniqueConstraint
  ) {
    let row = RowKey(key: change.row.key, layoutIndex: Int32(change.layout.index))
    let values = Values(
      constraint: constraint.names, entity: ObjectIdentifier(constraint.entity), row: other.key)
    if let place = places[values] { return groups[place].rows.append(row) }
    let savedRow = saved[SavedRow(key: other.key, rootIndex: change.layout.rootIndex)]
    places[values] = groups.count
    groups.append(
      Group(
        constraint: constraint, other: other.key, otherEntity: other.entity,
        otherIsSaved: savedRow != nil,
        rows: (savedRow.map { [$0] } ?? []) + [row]))
  }

  /// The conflicts, in the order of their detection.
  func conflicts(persisted: (Group) throws -> RowPage?) rethrows -> [StoreConflict] {
    try groups.map { group in
      .uniqueness(
        constraint: group.constraint.names, entity: group.constraint.entity, rows: group.rows,
        persisted: group.otherIsSaved ? nil : try persisted(group))
    }
  }
}
