import SQLiteDriver

/// The tables of the history that a file has.
package struct HistoryLayout: Hashable, Sendable {
  /// Whether authors, contexts and so on are kept once, in `ATRANSACTIONSTRING`, and named by key
  /// in columns that end in `TS`; the layout of 2017 has the texts in the transactions.
  package let hasStrings: Bool
  /// The columns of `ATRANSACTION`.
  package let transactionColumns: Set<String>
  /// The columns of `ACHANGE`.
  package let changeColumns: Set<String>
  /// The number of columns for values of deleted rows.
  package let tombstoneCount: Int

  /// The layout of a file, or nil where it has no history.
  init?(_ file: FileSchema) {
    guard let changes = file.columns(of: "ACHANGE"),
      let transactions = file.columns(of: "ATRANSACTION")
    else {
      return nil
    }
    changeColumns = Set(changes)
    transactionColumns = Set(transactions)
    hasStrings = file.hasTable("ATRANSACTIONSTRING") && transactionColumns.contains("ZAUTHORTS")
    tombstoneCount = changes.filter { $0.hasPrefix("ZTOMBSTONE") }.count
  }

  /// The layout of a file, of which nothing but the history is looked at.
  init?(_ connection: Connection) throws(SQLiteError) {
    self.init(
      try FileSchema(connection, tables: ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]))
  }
}
