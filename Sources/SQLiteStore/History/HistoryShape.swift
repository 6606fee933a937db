import SQLiteDriver

/// The columns that the tables of a file's history have.
///
/// Core Data kept author, context, bundle and process as texts in each transaction in 2017, and keeps them once, in a table
/// of their own, since.
struct HistoryShape {
  private let changeColumns: Set<String>
  private let transactionColumns: Set<String>
  private let hasStrings: Bool

  /// The tables of a file, or nil where it has no history.
  init?(_ connection: Connection) throws(SQLiteError) {
    changeColumns = try Self.columns(of: "ACHANGE", connection)
    transactionColumns = try Self.columns(of: "ATRANSACTION", connection)
    hasStrings = try !Self.columns(of: "ATRANSACTIONSTRING", connection).isEmpty
    if changeColumns.isEmpty || transactionColumns.isEmpty { return nil }
  }

  private static func columns(of table: String, _ connection: Connection) throws(SQLiteError) -> Set<String> {
    Set(
      try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]).compactMap { row in
        if case .text(let name) = row[0] { name } else { nil }
      })
  }

  /// How many columns there are for values of deleted rows.
  var tombstoneCount: Int {
    (0..<changeColumns.count).prefix { changeColumns.contains(HistoryTables.tombstoneColumn($0)) }.count
  }

  /// Whether updates tell what they changed.
  var hasBitmaps: Bool { changeColumns.contains("ZCOLUMNS") }

  /// Whether a transaction names a text by its key.
  func isInterned(_ text: HistoryText) -> Bool { hasStrings && transactionColumns.contains(text.keyColumn) }

  /// Whether a transaction has a text at all.
  func has(_ text: HistoryText) -> Bool { isInterned(text) || transactionColumns.contains(text.column) }
}

/// The texts of a transaction.
enum HistoryText: String, CaseIterable {
  case author = "ZAUTHOR"
  case bundleID = "ZBUNDLEID"
  case contextName = "ZCONTEXTNAME"
  case processID = "ZPROCESSID"

  /// The column with the text itself.
  var column: String { rawValue }
  /// The column with the key of the text.
  var keyColumn: String { rawValue + "TS" }
}
