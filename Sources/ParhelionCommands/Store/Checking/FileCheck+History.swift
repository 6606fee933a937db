import SQLiteDriver
import SQLiteStore

/// Rows of the history: each change must have a transaction and identify a row, and each text of a
/// transaction must exist.
extension FileCheck {
  mutating func checkHistory() throws {
    guard let history = try snapshot.history() else { return }
    try checkCounters(of: history)
    try checkChanges()
    try checkKeysOfChanges()
    try checkTransactions(history)
    if history.hasStrings { try checkStrings() }
  }

  /// Checks the keys, entities and versions of the history's rows, and the counters of the keys.
  ///
  /// A store with the history layout of 2017 may lack the counters.
  private mutating func checkCounters(of history: HistoryLayout) throws(SQLiteError) {
    for (number, name) in HistoryTables.entities {
      let table = "A\(name)"
      guard file.hasTable(table) else { continue }
      try noteRows(
        "history", of: table,
        "SELECT Z_PK, \(ShownValue.columns("Z_ENT")) FROM \(table) WHERE Z_ENT IS NOT \(number) ORDER BY Z_PK"
      ) { row in "Z_ENT is \(ShownValue.text(row, at: 1)) and not \(number)." }
      try noteRows(
        "history", of: table,
        "SELECT Z_PK, \(ShownValue.columns("Z_OPT")) FROM \(table) WHERE typeof(Z_OPT) NOT IN ('null', 'integer') ORDER BY Z_PK"
      ) { row in "Z_OPT is \(ShownValue.text(row, at: 1)), which is not a version." }
      try noteRows(
        "history", of: table, "SELECT Z_PK FROM \(table) WHERE \(Self.hasNoKey) ORDER BY Z_PK"
      ) { _ in
        "Keys of the history are whole numbers from 1."
      }
      guard let row = file.primaryKeys.first(where: { $0.number == number }) else {
        if history.hasStrings {
          note(
            "primaryKey", table: "Z_PRIMARYKEY", row: Int64(number),
            "The row \(name), which counts the keys of \(table), is missing: the next save would take keys that are in use."
          )
        }
        continue
      }
      if row.name != name {
        note(
          "primaryKey", table: "Z_PRIMARYKEY", row: Int64(number),
          "Z_NAME is “\(row.name)” and not \(name).")
      }
      try checkCounter(of: number, below: table, "the next save would take keys that are in use")
    }
  }

  private mutating func checkChanges() throws(SQLiteError) {
    let numbers = file.primaryKeys.filter { !$0.isFrameworks }.map { String($0.number) }.joined(
      separator: ", ")
    var rules: [(column: String, isSound: String, meaning: String)] = [
      (
        "ZCHANGETYPE", "typeof(ZCHANGETYPE) = 'integer' AND ZCHANGETYPE BETWEEN 0 AND 2",
        "which is not a kind of change"
      ),
      (
        "ZENTITY", "typeof(ZENTITY) = 'integer' AND ZENTITY IN (\(numbers))",
        "which is not an entity of the store"
      ),
      (
        "ZENTITYPK", "typeof(ZENTITYPK) = 'integer' AND ZENTITYPK > 0",
        "which is not a key of a row"
      ),
      (
        "ZTRANSACTIONID",
        "typeof(ZTRANSACTIONID) = 'integer' AND ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION)",
        "which is not an existing transaction"
      ),
    ]
    if file.has("ZCOLUMNS", in: "ACHANGE") {
      rules.append(
        ("ZCOLUMNS", "typeof(ZCOLUMNS) IN ('blob', 'null')", "which names no changed properties"))
    }
    for (column, isSound, meaning) in rules {
      try noteRows(
        "history", of: "ACHANGE",
        "SELECT Z_PK, \(ShownValue.columns(column)) FROM ACHANGE WHERE NOT (\(isSound)) ORDER BY Z_PK"
      ) { row in "\(column) is \(ShownValue.text(row, at: 1)), \(meaning)." }
    }
  }

  /// Checks that no change refers to a key above its table's counter.
  private mutating func checkKeysOfChanges() throws(SQLiteError) {
    for table in tables {
      let counted = try connection.value(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.root.number)")
      guard case .integer(let greatest)? = counted else { continue }
      try noteRows(
        "history", of: "ACHANGE",
        "SELECT Z_PK, ZENTITYPK FROM ACHANGE WHERE ZENTITY IN (\(table.numberList)) AND typeof(ZENTITYPK) = 'integer' AND ZENTITYPK > \(greatest) ORDER BY Z_PK"
      ) { row in
        "ZENTITYPK is \(row[1].wholeNumber ?? 0), a key that \(table.name) has not assigned yet: its Z_MAX is \(greatest)."
      }
    }
  }

  private mutating func checkTransactions(_ history: HistoryLayout) throws(SQLiteError) {
    try noteRows(
      "history", of: "ATRANSACTION",
      "SELECT Z_PK, \(ShownValue.columns("ZTIMESTAMP")) FROM ATRANSACTION WHERE typeof(ZTIMESTAMP) NOT IN ('real', 'integer') OR \(ShownValue.isInfinite("ZTIMESTAMP")) ORDER BY Z_PK"
    ) { row in "ZTIMESTAMP is \(ShownValue.text(row, at: 1)), which is not a time." }
    if file.has("ZQUERYGEN", in: "ATRANSACTION") {
      try noteRows(
        "history", of: "ATRANSACTION",
        "SELECT Z_PK, \(ShownValue.columns("ZQUERYGEN")) FROM ATRANSACTION WHERE typeof(ZQUERYGEN) NOT IN ('blob', 'null') ORDER BY Z_PK"
      ) { row in "ZQUERYGEN is \(ShownValue.text(row, at: 1)), which is not data." }
    }
    for column in ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
    where file.has(column, in: "ATRANSACTION") {
      try noteRows(
        "history", of: "ATRANSACTION",
        "SELECT Z_PK, \(ShownValue.columns(column)) FROM ATRANSACTION WHERE typeof(\(column)) NOT IN ('text', 'null') ORDER BY Z_PK"
      ) { row in "\(column) is \(ShownValue.text(row, at: 1)), which is not text." }
    }
    guard history.hasStrings else { return }
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
      try noteRows(
        "history", of: "ATRANSACTION",
        "SELECT T.Z_PK, \(ShownValue.columns("T.\(column)")) FROM ATRANSACTION T LEFT JOIN ATRANSACTIONSTRING S ON S.Z_PK = T.\(column) WHERE T.\(column) NOT NULL AND S.Z_PK IS NULL ORDER BY T.Z_PK"
      ) { row in "\(column) is \(ShownValue.text(row, at: 1)), which is not the key of a text." }
    }
  }

  private mutating func checkStrings() throws(SQLiteError) {
    let table = "ATRANSACTIONSTRING"
    try noteRows(
      "history", of: table,
      "SELECT Z_PK, \(ShownValue.columns("ZNAME")) FROM \(table) WHERE typeof(ZNAME) <> 'text' ORDER BY Z_PK"
    ) { row in "ZNAME is \(ShownValue.text(row, at: 1)), which is not text." }
    try noteRows(
      "history", of: table,
      "SELECT Z_PK, first FROM (SELECT Z_PK, min(Z_PK) OVER (PARTITION BY ZNAME) first FROM \(table) WHERE ZNAME NOT NULL) WHERE first < Z_PK ORDER BY Z_PK"
    ) { row in "It has the same text as row \(row[1].wholeNumber ?? 0)." }
  }
}
