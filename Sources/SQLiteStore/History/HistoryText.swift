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

extension HistoryLayout {
  /// Whether updates record their changed properties.
  var hasBitmaps: Bool { changeColumns.contains("ZCOLUMNS") }

  /// Whether a transaction refers to a text by key.
  func isInterned(_ text: HistoryText) -> Bool {
    hasStrings && transactionColumns.contains(text.keyColumn)
  }

  /// Whether a transaction has a text at all.
  func has(_ text: HistoryText) -> Bool {
    isInterned(text) || transactionColumns.contains(text.column)
  }
}
