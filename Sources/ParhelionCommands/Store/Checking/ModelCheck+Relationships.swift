import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension ModelCheck {
  /// Checks that to-one keys refer to rows of the right entity, and that their entity columns
  /// agree.
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
    for owner in table.ownerColumns {
      guard let entity = schema.entity(number: owner.ownerNumber) else { continue }
      try checkKeys(of: owner.column, in: table, owner.relationship, entity)
    }
  }

  private mutating func checkKeys(
    of column: PropertyColumn, in table: TableSchema, _ relationship: NSRelationshipDescription,
    _ destination: EntitySchema
  ) throws(SQLiteError) {
    let (name, rows) = (
      column.name,
      "FROM \(table.name) T LEFT JOIN \(destination.table) D ON D.Z_PK = T.\(column.name)"
    )
    try noteRows(
      "relationship", of: table.name,
      """
      SELECT T.Z_PK, \(ShownValue.columns("T.\(name)")) \(rows) WHERE T.\(name) NOT NULL AND \
      (D.Z_PK IS NULL OR D.Z_ENT NOT IN (\(list(destination)))) ORDER BY T.Z_PK
      """
    ) { row in
      let value = ShownValue.text(row, at: 1)
      return row[1] == .text("integer")
        ? "\(relationship.name) leads to \(value), which is not a row of \(destination.name) in \(destination.table)."
        : "\(name) is \(value), which is not a key: \(relationship.name) leads nowhere."
    }
    if let entityColumn = column.entityColumn {
      try noteRows(
        "relationship", of: table.name,
        """
        SELECT T.Z_PK, \(ShownValue.columns("T.\(entityColumn)")), D.Z_ENT \(rows) WHERE \
        D.Z_PK NOT NULL AND T.\(entityColumn) IS NOT D.Z_ENT ORDER BY T.Z_PK
        """
      ) { row in
        """
        \(entityColumn) is \(ShownValue.text(row, at: 1)), but \(relationship.name) leads to \
        an object of the entity \(row[3].wholeNumber ?? 0).
        """
      }
      try noteRows(
        "relationship", of: table.name,
        """
        SELECT Z_PK, \(ShownValue.columns(entityColumn)) FROM \(table.name) WHERE \(name) IS \
        NULL AND \(entityColumn) NOT NULL ORDER BY Z_PK
        """
      ) { row in
        "\(entityColumn) is \(ShownValue.text(row, at: 1)), but \(relationship.name) leads nowhere."
      }
    }
    if let order = column.orderColumn {
      try noteRows(
        "order", of: table.name,
        """
        SELECT Z_PK, \(ShownValue.columns(order)) FROM \(table.name) WHERE \(name) NOT NULL \
        AND typeof(\(order)) <> 'integer' ORDER BY Z_PK
        """
      ) { row in
        """
        \(order) is \(ShownValue.text(row, at: 1)): the object has no place among those of \
        \(relationship.name).
        """
      }
      try warnOfEqualOrderKeys(in: table.name, owner: name, order: order)
    }
  }

  /// Checks that the rows of a join table refer to objects of the right entities, and that a
  /// relationship that is its own inverse has both directions.
  mutating func check(_ join: JoinTable, of table: TableSchema) throws(SQLiteError) {
    guard let destination = destination(of: join.relationship),
      let owner = schema.entity(number: join.number)
    else { return }
    for (column, entity) in [(join.firstColumn, owner), (join.secondColumn, destination)] {
      try noteRows(
        "join", of: join.name,
        """
        SELECT J.rowid, \(ShownValue.columns("J.\(column)")) FROM \(join.name) J LEFT JOIN \
        \(entity.table) D ON D.Z_PK = J.\(column) WHERE D.Z_PK IS NULL OR D.Z_ENT NOT IN \
        (\(list(entity))) ORDER BY J.rowid
        """
      ) { row in
        """
        \(column) is \(ShownValue.text(row, at: 1)), which is not a row of \(entity.name) in \
        \(entity.table).
        """
      }
    }
    for (owner, order) in [
      (join.secondColumn, join.firstOrderColumn), (join.firstColumn, join.secondOrderColumn),
    ] {
      guard let order else { continue }
      try noteRows(
        "order", of: join.name,
        """
        SELECT rowid, \(ShownValue.columns(order)) FROM \(join.name) WHERE typeof(\(order)) \
        <> 'integer' ORDER BY rowid
        """
      ) { row in "\(order) is \(ShownValue.text(row, at: 1)): the pair has no place in its order." }
      try warnOfEqualOrderKeys(in: join.name, owner: owner, order: order)
    }
    try noteRows(
      "join", of: join.name,
      """
      SELECT key, \(join.firstColumn), \(join.secondColumn) FROM (SELECT rowid key, \
      \(join.firstColumn), \(join.secondColumn), min(rowid) OVER (PARTITION BY \
      \(join.firstColumn), \(join.secondColumn)) first FROM \(join.name)) WHERE first < key \
      ORDER BY key
      """
    ) { row in
      "The pair of \(row[1].wholeNumber ?? 0) and \(row[2].wholeNumber ?? 0) exists more than once."
    }
    guard join.isReflexive else { return }
    try noteRows(
      "inverse", of: join.name,
      """
      SELECT J.rowid, J.\(join.firstColumn), J.\(join.secondColumn) FROM \(join.name) J WHERE \
      (J.\(join.secondColumn), J.\(join.firstColumn)) NOT IN (SELECT \(join.firstColumn), \
      \(join.secondColumn) FROM \(join.name) WHERE \(join.firstColumn) NOT NULL AND \
      \(join.secondColumn) NOT NULL) ORDER BY J.rowid
      """
    ) { row in "\(row[1].wholeNumber ?? 0) leads to \(row[2].wholeNumber ?? 0), but not back." }
  }

  /// Warns of an owner's members with equal order keys, whose order is arbitrary.
  private mutating func warnOfEqualOrderKeys(in table: String, owner: String, order: String)
    throws(SQLiteError)
  {
    let shared = try connection.value(
      """
      SELECT sum(members) FROM (SELECT count(*) members FROM \(table) WHERE \(owner) NOT NULL \
      AND typeof(\(order)) = 'integer' GROUP BY \(owner), \(order) HAVING members > 1)
      """
    )
    guard case .integer(let count)? = shared else { return }
    warn(
      "order", table: table,
      "\(count) members have the same place in \(order) as another member of their owner.")
  }

  private func destination(of relationship: NSRelationshipDescription) -> EntitySchema? {
    relationship.destinationEntity?.name.flatMap(schema.entity(named:))
  }

  private func list(_ entity: EntitySchema) -> String {
    entity.subtreeNumbers.map(String.init).joined(separator: ", ")
  }
}
