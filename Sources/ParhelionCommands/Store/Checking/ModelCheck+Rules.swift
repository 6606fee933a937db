import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The model's rules for objects: required values, and unique values.
extension ModelCheck {
  /// Checks that rows under a uniqueness constraint differ in its attributes, unless one is null.
  mutating func checkUniqueness() throws(SQLiteError) {
    for entity in schema.entities {
      for names in entity.entity.uniquenessConstraintNames {
        let columns = names.compactMap(entity.columnName)
        guard columns.count == names.count, !columns.isEmpty else { continue }
        try check(columns, names, of: entity)
      }
    }
  }

  private mutating func check(_ columns: [String], _ names: [String], of entity: EntitySchema)
    throws(SQLiteError)
  {
    // This takes one pass and one sort, with or without an index.
    let isThere = columns.map { "\($0) NOT NULL" }.joined(separator: " AND ")
    try noteRows(
      "uniqueness", of: entity.table,
      """
      SELECT Z_PK, first FROM (SELECT Z_PK, min(Z_PK) OVER (PARTITION BY \(columns.joined(separator: ", "))) first
      FROM \(entity.table) WHERE Z_ENT IN (\(entity.subtreeNumbers.map(String.init).joined(separator: ", "))) AND \(isThere))
      WHERE first < Z_PK ORDER BY Z_PK
      """
    ) { row in "It has the same \(names.joined(separator: ", ")) as row \(row[1].wholeNumber ?? 0)."
    }
  }

  /// Warns of objects without required values.
  ///
  /// Intact stores have such objects if they are older than the requirement.
  mutating func checkRequiredValues() throws(SQLiteError) {
    for entity in schema.entities where !entity.entity.isAbstract {
      for (property, column) in zip(entity.layout.properties, entity.columns) {
        guard let column, !column.isComposite, !property.isOptional,
          !(property is NSDerivedAttributeDescription)
        else {
          continue
        }
        let count = try connection.value(
          "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(column.name) IS NULL"
        )
        guard let count = count?.wholeNumber, count > 0 else { continue }
        let (verb, pronoun) = count == 1 ? ("has", "it") : ("have", "they")
        warn(
          "value", table: entity.table,
          "\(count) of the objects of \(entity.name) \(verb) no \(property.name), which the model requires: \(pronoun) cannot be saved without it."
        )
      }
    }
  }
}
