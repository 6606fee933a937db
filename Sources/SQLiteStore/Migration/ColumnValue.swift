/// The source of a column's value in a migrated row.
enum ColumnValue: Hashable {
  /// The old value of the column with the same name.
  case same
  /// An expression over the old value of the column with the same name.
  case adjusted(String)
  case null
  /// A value that is the same for every row.
  case constant(String)
  /// An expression over other columns or tables.
  case computed(String)

  /// Whether the table can keep its rows, without a copy.
  func canStay(columnExists: Bool) -> Bool {
    switch self {
    case .same, .adjusted: columnExists
    case .null, .constant: !columnExists
    case .computed: false
    }
  }

  /// The SQL expression for the value, in a query of the older table.
  func sql(of column: String) -> String {
    switch self {
    case .same: column
    case .null: "NULL"
    case .adjusted(let sql), .constant(let sql), .computed(let sql): sql
    }
  }
}
