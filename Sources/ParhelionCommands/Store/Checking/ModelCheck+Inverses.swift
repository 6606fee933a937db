import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// One-to-one relationships, which are stored on both sides.
///
/// If one side's column refers to a row, that row's column must refer back. A side that is null in
/// all rows is only a warning, because nothing is lost. Intact stores of Apple's have such sides:
/// the model got them when there were objects already, or a program never uses them.
extension ModelCheck {
  /// The two sides of a relationship.
  private struct Pair {
    let relationship: NSRelationshipDescription
    let entity: EntitySchema
    let column: String
    let inverse: NSRelationshipDescription
    let destination: EntitySchema
    let back: String
  }

  mutating func checkInverses() throws(SQLiteError) {
    for pair in pairs {
      if try isUnused(pair.back, in: pair.destination.table) {
        try mentionUnusedSide(of: pair)
      } else {
        try checkBothSides(of: pair)
      }
    }
  }

  private var pairs: [Pair] {
    schema.entities.flatMap { entity in
      let inherited = schema.entity(number: entity.superNumber)?.layout.properties ?? []
      return zip(entity.layout.properties, entity.columns).compactMap { property, column -> Pair? in
        guard let relationship = property as? NSRelationshipDescription, let column,
          !inherited.contains(where: { $0 === relationship }),
          let inverse = relationship.inverseRelationship,
          !inverse.isToMany,
          let destination = relationship.destinationEntity?.name.flatMap(schema.entity(named:)),
          let back = destination.column(named: inverse.name)
        else { return nil }
        return Pair(
          relationship: relationship, entity: entity, column: column.name, inverse: inverse,
          destination: destination,
          back: back.name)
      }
    }
  }

  private func isUnused(_ column: String, in table: String) throws(SQLiteError) -> Bool {
    try connection.value("SELECT 1 FROM \(table) WHERE \(column) NOT NULL LIMIT 1") == nil
  }

  private mutating func mentionUnusedSide(of pair: Pair) throws(SQLiteError) {
    let count =
      try connection.value(
        "SELECT count(*) FROM \(pair.entity.table) WHERE \(pair.column) NOT NULL")?.wholeNumber ?? 0
    guard count > 0 else { return }
    warn(
      "inverse", table: pair.destination.table,
      "\(pair.entity.name).\(pair.relationship.name) leads to \(count) rows, but \(pair.back) is NULL in all of them: from the other side, \(pair.inverse.name) has no value."
    )
  }

  private mutating func checkBothSides(of pair: Pair) throws(SQLiteError) {
    let (column, back) = (pair.column, pair.back)
    try noteRows(
      "inverse", of: pair.entity.table,
      "SELECT T.Z_PK, T.\(column), \(ShownValue.columns("D.\(back)")) FROM \(pair.entity.table) T JOIN \(pair.destination.table) D ON D.Z_PK = T.\(column) WHERE D.\(back) IS NOT T.Z_PK ORDER BY T.Z_PK"
    ) { row in
      "\(pair.relationship.name) leads to \(pair.destination.name) \(row[1].wholeNumber ?? 0), whose \(pair.inverse.name) is \(ShownValue.text(row, at: 2))."
    }
  }
}
