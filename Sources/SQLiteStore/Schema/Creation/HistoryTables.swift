/// The tables of the history, in Core Data's current layout, which keeps texts in their own table.
package enum HistoryTables {
  /// The numbers and names of the history's entities in `Z_PRIMARYKEY`, which counts their keys.
  package static let entities = [
    (16001, "CHANGE"), (16002, "TRANSACTION"), (16003, "TRANSACTIONSTRING"),
  ]

  /// The statements that create tables and indexes.
  ///
  /// - Parameter tombstones: The number of columns for values of deleted rows.
  package static func creationStatements(tombstones: Int) -> [String] {
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    let values = (0..<tombstones).map { ", \(tombstoneColumn($0)) BLOB" }.joined()
    return [
      "CREATE TABLE ACHANGE ( \(head), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(values) )",
      "CREATE TABLE ATRANSACTION ( \(head), ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
      "CREATE TABLE ATRANSACTIONSTRING ( \(head), ZNAME VARCHAR )",
    ] + indexes.map(\.definition)
  }

  /// The indexes of the tables.
  static let indexes: [IndexSchema] =
    [
      IndexSchema(
        name: "ACHANGE_ZTRANSACTIONID_INDEX", table: "ACHANGE", elements: [.plain("ZTRANSACTIONID")]
      )
    ]
    + HistoryText.allCases.map { text in
      IndexSchema(
        name: "ATRANSACTION_\(text.keyColumn)_INDEX", table: "ATRANSACTION",
        elements: [.plain(text.keyColumn)])
    }
    + [
      IndexSchema(
        name: "Z_TRANSACTION_TransactionAuthorIndex", table: "ATRANSACTION",
        elements: [.ordered("ZAUTHOR")]),
      IndexSchema(
        name: "Z_TRANSACTION_TransactionTimestampIndex", table: "ATRANSACTION",
        elements: [.ordered("ZTIMESTAMP")]),
      IndexSchema(
        name: "Z_TRANSACTIONSTRING_UNIQUE_NAME", table: "ATRANSACTIONSTRING",
        elements: [.ordered("ZNAME")],
        isUnique: true),
    ]

  package static func tombstoneColumn(_ index: Int) -> String { "ZTOMBSTONE\(index)" }
}
