import SQLiteDriver

/// When a file gives pages back that hold nothing any more.
enum FreePages {
  /// How many pages to give back, of those that are free.
  ///
  /// A part stays for what is written next: giving pages back moves others, which costs as much as
  /// writing them.
  static func toRelease(free: Int64, of total: Int64) -> Int64 {
    let reserve = max(Limits.freePagesKept, total / Limits.freePagesShare)
    return free > reserve ? free - reserve / 2 : 0
  }
}

extension Connection {
  /// Gives pages back where there are many that hold nothing, and the file was made for it.
  func releaseFreePages() throws(SQLiteError) {
    let free = try get(.freelistCount)
    guard free > Limits.freePagesKept, try get(.autoVacuum) == .incremental else { return }
    let count = FreePages.toRelease(free: free, of: try get(.pageCount))
    if count > 0 { try execute("PRAGMA incremental_vacuum(\(count))") }
  }
}
