/// What a column of a newer table gets of a row of the older one.
enum ColumnValue: Hashable {
  /// What the column of the same name had.
  case same
  /// Something that follows from what the column of the same name had.
  case adjusted(String)
  case null
  /// A value that does not depend on the row.
  case constant(String)
  /// Something that follows from other columns or tables.
  case computed(String)

  /// Whether the value can be set in the table as it is, without a copy.
  func canStay(columnExists: Bool) -> Bool {
    switch self {
    case .same, .adjusted: columnExists
    case .null, .constant: !columnExists
    case .computed: false
    }
  }

  /// SQL for the value in a query of the older table.
  func sql(of column: String) -> String {
    switch self {
    case .same: column
    case .null: "NULL"
    case .adjusted(let sql), .constant(let sql), .computed(let sql): sql
    }
  }
}
