import SQLiteDriver

/// The tables of the history in a file.
package struct HistoryLayout: Hashable, Sendable {
  /// Whether authors, contexts, and other texts are stored once, in `ATRANSACTIONSTRING`.
  ///
  /// Columns that end in `TS` contain their keys. In the layout of 2017, the transactions contain
  /// the texts.
  package let hasStrings: Bool
  /// The columns of `ATRANSACTION`.
  package let transactionColumns: Set<String>
  /// The columns of `ACHANGE`.
  package let changeColumns: Set<String>
  /// The number of columns for values of deleted rows.
  package let tombstoneCount: Int

  /// The layout of a file, or nil if it has no history.
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

  /// Reads the layout of a file; other tables are not read.
  init?(_ connection: Connection) throws(SQLiteError) {
    self.init(
      try FileSchema(connection, tables: ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]))
  }
}
