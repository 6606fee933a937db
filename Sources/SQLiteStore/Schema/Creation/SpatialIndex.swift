import ManagedObjectModel

/// An R-tree index: a virtual table next to the entity's own table, which triggers keep up to date.
///
/// It contains the rows whose indexed values are all present. No store from Apple's platforms with
/// such an index was available: names and columns follow public descriptions, and the rest is this
/// framework's design.
struct SpatialIndex {
  let name: String
  let table: String
  let columns: [String]
  /// The condition that selects the entity's rows of the table, or nil.
  let condition: (String) -> String?

  init?(_ description: NSFetchIndexDescription, of entity: EntitySchema) {
    guard description.isSpatial else { return nil }
    let columns = description.elements.compactMap { $0.propertyName.flatMap(entity.columnName) }
    guard columns.count == description.elements.count else { return nil }
    name = "Z_RT_\(entity.name)_\(description.name)"
    table = entity.table
    self.columns = columns
    condition = entity.isRoot ? { _ in nil } : { "\($0).Z_ENT IN (\(entity.numberList))" }
  }

  /// The statement that creates the virtual table.
  var definition: String {
    let extents = columnsOfRegions.map { "\($0) FLOAT" }
    return
      "CREATE VIRTUAL TABLE \(name) USING RTREE (\((["Z_PK INTEGER PRIMARY KEY"] + extents).joined(separator: ", ")))"
  }

  /// The triggers that keep the virtual table up to date.
  var triggers: [TriggerSchema] {
    let removal = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK;"
    return [
      TriggerSchema(name: "\(name)_INSERT", table: table, event: "INSERT", body: insertion),
      TriggerSchema(
        name: "\(name)_UPDATE", table: table, event: "UPDATE OF \(columns.joined(separator: ", "))",
        body: "\(removal) \(insertion)"),
      TriggerSchema(name: "\(name)_DELETE", table: table, event: "DELETE", body: removal),
    ]
  }

  /// The statement that adds all existing rows of the table.
  var filling: String {
    let conditions = columns.map { "\($0) NOT NULL" } + [condition(table)].compactMap { $0 }
    let values = columns.flatMap { [$0, $0] }
    return
      "INSERT OR REPLACE INTO \(name) SELECT Z_PK, \(values.joined(separator: ", ")) FROM \(table) WHERE \(conditions.joined(separator: " AND "))"
  }

  private var insertion: String {
    let values = columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }
    let conditions = columns.map { "NEW.\($0) NOT NULL" } + [condition("NEW")].compactMap { $0 }
    return
      "INSERT OR REPLACE INTO \(name) SELECT NEW.Z_PK, \(values.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "));"
  }
}

extension EntitySchema {
  /// The R-tree indexes that the entity declares.
  var spatialIndexes: [SpatialIndex] { entity.indexes.compactMap { SpatialIndex($0, of: self) } }

  /// The numbers of the entity and its descendants, as an SQL list.
  var numberList: String { subtreeNumbers.map(String.init).joined(separator: ", ") }
}
