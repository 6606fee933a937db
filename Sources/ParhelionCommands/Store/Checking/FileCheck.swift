import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Checks the parts of a store that need no model.
struct FileCheck: StoreCheckPart {
  let snapshot: StoreSnapshot
  let file: FileSchema
  /// The model's tables, or those of the entities in `Z_PRIMARYKEY` if the model is unknown.
  let tables: [CheckedTable]
  var findings = StoreFindings()

  init(_ snapshot: StoreSnapshot, file: FileSchema, schema: StoreSchema?) {
    self.snapshot = snapshot
    self.file = file
    tables = schema.map(CheckedTable.all) ?? CheckedTable.all(in: file)
  }

  mutating func run() throws -> StoreFindings {
    try checkMetadata()
    try checkModelCopy()
    let differences = try snapshot.systemDifferences()
    note(differences)
    if !differences.contains(where: { $0.table == "Z_PRIMARYKEY" && $0.preventsReading }) {
      try checkPrimaryKeys()
    }
    for table in readableTables() { try checkRows(of: table) }
    if !differences.contains(where: { Self.historyTables.contains($0.table) && $0.preventsReading })
    {
      try checkHistory()
    }
    return findings
  }

  static let historyTables: Set<String> = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  /// The readable tables; reports the missing parts of the others.
  private mutating func readableTables() -> [CheckedTable] {
    tables.filter { table in
      let columns = ["Z_PK", "Z_ENT", "Z_OPT"]
      guard file.hasTable(table.name) else {
        note(
          "layout", table: table.name,
          "The store has no table \(table.name), which \(table.root.name) needs.")
        return false
      }
      let missing = columns.filter { !file.has($0, in: table.name) }
      for column in missing {
        note(
          "layout", table: table.name,
          "The store has no column \(column) in the table \(table.name), which \(table.root.name) needs."
        )
      }
      note([file.keyDifference("Z_PK", in: table.name)].compactMap { $0 })
      return missing.isEmpty
    }
  }

  // MARK: Rows

  /// The condition for a row with an invalid key.
  static let hasNoKey = "typeof(Z_PK) <> 'integer' OR Z_PK < 1"

  private mutating func checkRows(of table: CheckedTable) throws(SQLiteError) {
    let (name, rows) = (table.name, table.quotedName)
    try noteRows("row", of: name, "SELECT Z_PK FROM \(rows) WHERE \(Self.hasNoKey) ORDER BY Z_PK") {
      _ in
      "Keys are whole numbers from 1: no other row can lead to this one."
    }
    try noteRows(
      "row", of: name,
      "SELECT Z_PK, \(ShownValue.columns("Z_ENT")) FROM \(rows) WHERE typeof(Z_ENT) <> 'integer' OR Z_ENT NOT IN (\(table.numberList)) ORDER BY Z_PK"
    ) { row in
      "Z_ENT is \(ShownValue.text(row, at: 1)), which is not an entity of this table: no fetch finds the row."
    }
    try noteRows(
      "row", of: name,
      "SELECT Z_PK, \(ShownValue.columns("Z_OPT")) FROM \(rows) WHERE typeof(Z_OPT) <> 'integer' OR Z_OPT < 1 ORDER BY Z_PK"
    ) { row in
      "Z_OPT is \(ShownValue.text(row, at: 1)), which is not a version: conflicts of this row are not noticed."
    }
    for entity in table.entities where entity.isAbstract {
      try noteRows(
        "row", of: name, "SELECT Z_PK FROM \(rows) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK"
      ) { _ in
        "\(entity.name) is abstract and has no objects."
      }
    }
    try checkCounter(
      of: table.root.number, below: name, "the next objects would take keys that are in use")
  }

  /// Checks that no row has a key above the counter of its table.
  mutating func checkCounter(of number: Int, below table: String, _ meaning: String)
    throws(SQLiteError)
  {
    guard
      case .integer(let counted)? = try connection.value(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    else { return }
    let greatest =
      try connection.value("SELECT max(Z_PK) FROM \(table.quotedForSQL)")?.wholeNumber ?? 0
    guard counted < greatest else { return }
    note(
      "primaryKey", table: "Z_PRIMARYKEY", row: Int64(number),
      "Z_MAX is \(counted), below the key \(greatest) in \(table): \(meaning).")
  }
}

extension LayoutDifference {
  /// Whether a table or column is missing, rather than an index or key.
  fileprivate var preventsReading: Bool { index == nil && key == nil }
}
