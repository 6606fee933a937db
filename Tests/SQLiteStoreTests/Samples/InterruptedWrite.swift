import SQLiteDriver

extension Connection {
  /// Deletes the row 1 of `ZA` in a transaction that stays open.
  ///
  /// A copy of the file then has a part of the transaction, and its journal has the former pages,
  /// as after a crash.
  func beginInterruptedWrite() throws {
    try set(.journalMode, to: .delete)
    try execute(
      """
      CREATE TABLE filler AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        SELECT hex(zeroblob(200)) AS x FROM n
      """)
    // With a small cache, SQLite writes changed pages before the commit.
    try set(.cacheSize, to: 10)
    try begin(.immediate)
    try execute("DELETE FROM ZA WHERE Z_PK = 1; UPDATE filler SET x = x || '!'")
  }
}
