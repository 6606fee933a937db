import SQLiteDriver

extension Connection {
  /// Syncs the commits in the write-ahead log, unless each commit of this connection syncs itself.
  func syncCommits() throws(SQLiteError) {
    if try get(.synchronous).rawValue < Synchronous.full.rawValue { try syncLog() }
  }
}
