import SQLiteDriver

extension Connection {
  /// Makes the tables of the history where they are missing, and columns for as many values of deleted rows.
  func prepareHistory(tombstones: Int) throws(SQLiteError) -> HistoryShape {
    guard let shape = try HistoryShape(self) else {
      for sql in HistoryTables.creationStatements(tombstones: tombstones) { try run(sql) }
      try addHistoryCounters()
      guard let made = try HistoryShape(self) else { preconditionFailure("The tables were made.") }
      return made
    }
    try addHistoryCounters()
    guard shape.tombstoneCount < tombstones else { return shape }
    for number in shape.tombstoneCount..<tombstones {
      try run("ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstoneColumn(number)) BLOB")
    }
    return try HistoryShape(self) ?? shape
  }

  private func addHistoryCounters() throws(SQLiteError) {
    for (number, name) in HistoryTables.entities {
      try run(
        "INSERT OR IGNORE INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(?, ?, 0, 0)",
        [.integer(Int64(number)), .text(name)])
    }
  }
}
