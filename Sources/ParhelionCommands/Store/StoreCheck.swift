import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Looks for what is wrong in a store whose tables and columns are all there.
struct StoreCheck {
  let subject: StoreCommands.Subject
  private(set) var findings = StoreFindings()

  init(_ subject: StoreCommands.Subject) { self.subject = subject }

  var schema: StoreSchema { subject.schema }
  var connection: Connection { subject.snapshot.connection }

  mutating func run() throws -> StoreFindings {
    checkMetadata()
    try checkKeys()
    for table in schema.tables {
      try checkRows(of: table)
      try checkValues(of: table)
      try checkToOne(of: table)
      for join in table.joinTables { try check(join, of: table) }
    }
    try checkInverses()
    try checkDerivedValues()
    try checkUniqueness()
    try checkRequiredValues()
    try checkExternalFiles()
    try checkHistory()
    return findings
  }

  // MARK: Recording

  /// The rows that one rule names; more are only counted.
  static let reportedRows = 100

  mutating func note(_ kind: String, table: String? = nil, row: Int64? = nil, _ message: String) {
    findings.problems.append(StoreProblem(kind: kind, table: table, row: row, message: message))
  }

  /// Notes what is odd and yet harms nobody.
  mutating func warn(_ kind: String, table: String? = nil, _ message: String) {
    findings.warnings.append(StoreProblem(kind: kind, table: table, row: nil, message: message))
  }

  /// Notes a problem for each row of a query, whose first column is the row's key.
  mutating func noteRows(
    _ kind: String, of table: String, _ sql: String, message: ([Value]) -> String
  ) throws(SQLiteError) {
    let rows = try connection.rows("\(sql) LIMIT \(Self.reportedRows + 1)")
    for row in rows.prefix(Self.reportedRows) {
      note(kind, table: table, row: row.first?.wholeNumber, message(row))
    }
    if rows.count > Self.reportedRows { note(kind, table: table, "More rows have the same problem.") }
  }

  // MARK: Metadata and keys

  private mutating func checkMetadata() {
    let metadata = subject.snapshot.metadata
    if UUID(uuidString: metadata.uuid) == nil {
      note("metadata", table: "Z_METADATA", "“\(metadata.uuid)” is no UUID.")
    }
    for difference in subject.snapshot.differences(from: subject.model) {
      note("metadata", table: "Z_METADATA", "\(difference).")
    }
  }

  private mutating func checkKeys() throws(SQLiteError) {
    for entity in schema.entities {
      let row = try connection.rows("SELECT Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.number)").first
      if let row, row[1].wholeNumber ?? 0 != Int64(entity.superNumber) {
        note(
          "primaryKey", table: "Z_PRIMARYKEY", row: Int64(entity.number),
          "\(entity.name) has the parent \(row[1].wholeNumber ?? 0) and not \(entity.superNumber).")
      }
    }
    for table in schema.tables {
      let number = table.entities[0].number
      let greatest = try connection.value("SELECT max(Z_PK) FROM \(table.name)")?.wholeNumber ?? 0
      let counted =
        try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")?.wholeNumber ?? 0
      if counted < greatest {
        note(
          "primaryKey", table: "Z_PRIMARYKEY", row: Int64(number),
          "Z_MAX is \(counted), below the key \(greatest) in \(table.name): the next objects would take keys that are in use."
        )
      }
    }
  }

  private mutating func checkRows(of table: TableSchema) throws(SQLiteError) {
    let numbers = table.entities.map { String($0.number) }.joined(separator: ", ")
    try noteRows(
      "row", of: table.name,
      "SELECT Z_PK, Z_ENT FROM \(table.name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) ORDER BY Z_PK"
    ) { row in "Z_ENT is \(row[1].wholeNumber.map(String.init) ?? "NULL"), which is no entity of this table." }
    try noteRows("row", of: table.name, "SELECT Z_PK FROM \(table.name) WHERE Z_OPT IS NULL OR Z_OPT < 1 ORDER BY Z_PK")
    {
      _ in "Z_OPT is no version."
    }
    for entity in table.entities where entity.entity.isAbstract {
      try noteRows(
        "row", of: table.name, "SELECT Z_PK FROM \(table.name) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK"
      ) { _ in "\(entity.name) is abstract and has no objects." }
    }
  }
}
