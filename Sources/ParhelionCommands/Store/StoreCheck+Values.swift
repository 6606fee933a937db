import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Values of attributes: each is of a kind that its attribute's type can be read from.
extension StoreCheck {
  mutating func checkValues(of table: TableSchema) throws(SQLiteError) {
    var known: Set<String> = []
    for entity in table.entities {
      for (property, column) in zip(entity.layout.properties, entity.columns) {
        guard let attribute = property as? NSAttributeDescription, let column else { continue }
        let stored = column.isComposite ? column.leaves.map { ($0.name, $0.attribute) } : [(column.name, attribute)]
        for (name, attribute) in stored where known.insert(name).inserted {
          try check(attribute, name, in: table)
        }
      }
    }
  }

  private mutating func check(
    _ attribute: NSAttributeDescription, _ column: String, in table: TableSchema
  ) throws(SQLiteError) {
    guard let sound = attribute.soundCondition(column) else { return }
    try noteRows(
      "value", of: table.name,
      "SELECT Z_PK, typeof(\(column)), length(\(column)) FROM \(table.name) WHERE \(column) NOT NULL AND NOT (\(sound)) ORDER BY Z_PK"
    ) { row in
      let kind = if case .text(let kind) = row[1] { kind } else { "value" }
      let size = kind == "blob" ? " of \(row[2].wholeNumber ?? 0) bytes" : ""
      return "\(column) has a \(kind)\(size), from which no value of the attribute \(attribute.name) can be read."
    }
  }
}

extension NSAttributeDescription {
  /// The condition that a column that is not NULL meets where the attribute can be read, or nil where any value will do.
  fileprivate func soundCondition(_ column: String) -> String? {
    switch attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
      "typeof(\(column)) = 'integer'"
    case .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .dateAttributeType:
      "typeof(\(column)) IN ('integer', 'real')"
    case .stringAttributeType, .URIAttributeType: "typeof(\(column)) = 'text'"
    case .UUIDAttributeType: "typeof(\(column)) = 'blob' AND length(\(column)) = 16"
    // What lies in files is told apart by its first byte, which has a check of its own.
    case .binaryDataAttributeType, .transformableAttributeType:
      allowsExternalBinaryDataStorage ? nil : "typeof(\(column)) = 'blob'"
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: nil
    }
  }
}

/// Values of derived attributes: each is what its expression gives now.
extension StoreCheck {
  mutating func checkDerivedValues() throws(SQLiteError) {
    for attribute in schema.derivedChecks {
      try noteRows(
        "derived", of: attribute.table,
        "SELECT Z_PK FROM \(attribute.table) WHERE \(attribute.isOutOfDate) ORDER BY Z_PK"
      ) { _ in "\(attribute.column) is not what \(attribute.name) is derived from now." }
    }
  }
}
