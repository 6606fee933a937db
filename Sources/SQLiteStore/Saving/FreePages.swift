import SQLiteDriver

/// Decides when a file releases its free pages.
enum FreePages {
  /// The number of free pages to release.
  ///
  /// Some stay for later writes: releasing pages moves others, which costs as much as writing them.
  static func toRelease(free: Int64, of total: Int64) -> Int64 {
    let reserve = max(Limits.freePagesKept, total / Limits.freePagesShare)
    return free > reserve ? free - reserve / 2 : 0
  }
}

extension Connection {
  /// Releases free pages if there are many, and if the file uses incremental vacuum.
  func releaseFreePages() throws(SQLiteError) {
    let free = try get(.freelistCount)
    guard free > Limits.freePagesKept, try get(.autoVacuum) == .incremental else { return }
    let count = FreePages.toRelease(free: free, of: try get(.pageCount))
    if count > 0 { try execute("PRAGMA incremental_vacuum(\(count))") }
  }
}
