import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCheck {
  /// Keys of to-one relationships lead to rows of the right entity, and the columns beside them say so.
  mutating func checkToOne(of table: TableSchema) throws(SQLiteError) {
    var known: Set<String> = []
    for entity in table.entities {
      for (property, column) in zip(entity.layout.properties, entity.columns) {
        guard let relationship = property as? NSRelationshipDescription, let column,
          known.insert(column.name).inserted, let destination = destination(of: relationship)
        else { continue }
        try checkKeys(of: column, in: table, relationship, destination)
      }
    }
  }

  private mutating func checkKeys(
    of column: PropertyColumn, in table: TableSchema, _ relationship: NSRelationshipDescription,
    _ destination: EntitySchema
  ) throws(SQLiteError) {
    let rows = "FROM \(table.name) T LEFT JOIN \(destination.table) D ON D.Z_PK = T.\(column.name)"
    try noteRows(
      "relationship", of: table.name,
      "SELECT T.Z_PK, T.\(column.name) \(rows) WHERE T.\(column.name) NOT NULL AND (D.Z_PK IS NULL OR D.Z_ENT NOT IN (\(list(destination)))) ORDER BY T.Z_PK"
    ) { row in
      "\(relationship.name) leads to \(row[1].wholeNumber ?? 0), which is no \(destination.name) in \(destination.table)."
    }
    if let entityColumn = column.entityColumn {
      try noteRows(
        "relationship", of: table.name,
        "SELECT T.Z_PK, T.\(entityColumn), D.Z_ENT \(rows) WHERE D.Z_PK NOT NULL AND T.\(entityColumn) IS NOT D.Z_ENT ORDER BY T.Z_PK"
      ) { row in
        "\(entityColumn) is \(row[1].wholeNumber.map(String.init) ?? "NULL"), but \(relationship.name) leads to an object of the entity \(row[2].wholeNumber ?? 0)."
      }
    }
    if let order = column.orderColumn {
      try noteRows(
        "order", of: table.name,
        "SELECT Z_PK FROM \(table.name) WHERE \(column.name) NOT NULL AND \(order) IS NULL ORDER BY Z_PK"
      ) { _ in "\(order) is NULL: the object has no place among those of \(relationship.name)." }
    }
  }

  /// Rows of a join table lead to objects of the right entities; a relationship that is its own inverse goes both ways.
  mutating func check(_ join: JoinTable, of table: TableSchema) throws(SQLiteError) {
    guard let destination = destination(of: join.relationship),
      let owner = schema.entity(number: join.number)
    else { return }
    for (column, entity) in [(join.firstColumn, owner), (join.secondColumn, destination)] {
      try noteRows(
        "join", of: join.name,
        "SELECT J.rowid, J.\(column) FROM \(join.name) J LEFT JOIN \(entity.table) D ON D.Z_PK = J.\(column) WHERE D.Z_PK IS NULL OR D.Z_ENT NOT IN (\(list(entity))) ORDER BY J.rowid"
      ) { row in
        "\(column) is \(row[1].wholeNumber.map(String.init) ?? "NULL"), which is no \(entity.name) in \(entity.table)."
      }
    }
    guard join.isReflexive else { return }
    try noteRows(
      "inverse", of: join.name,
      "SELECT J.rowid, J.\(join.firstColumn), J.\(join.secondColumn) FROM \(join.name) J WHERE NOT EXISTS (SELECT 1 FROM \(join.name) K WHERE K.\(join.firstColumn) = J.\(join.secondColumn) AND K.\(join.secondColumn) = J.\(join.firstColumn)) ORDER BY J.rowid"
    ) { row in "\(row[1].wholeNumber ?? 0) leads to \(row[2].wholeNumber ?? 0), but not back." }
  }

  private func destination(of relationship: NSRelationshipDescription) -> EntitySchema? {
    relationship.destinationEntity?.name.flatMap(schema.entity(named:))
  }

  private func list(_ entity: EntitySchema) -> String {
    entity.subtreeNumbers.map(String.init).joined(separator: ", ")
  }
}
