/// A cache of idle prepared statements by SQL, which evicts the least recently used one.
///
/// A statement in use is not in the cache. So a nested use of the same SQL gets a second statement,
/// and only one of them is kept.
struct StatementCache {
  private struct Entry {
    let statement: PreparedStatement
    let lastUse: UInt64
  }

  private var entries: [StatementText: Entry] = [:]
  private let entryCapacity: Int
  private var uses: UInt64 = 0
  /// The statements that returned last, the most recent at the end.
  ///
  /// A loop that alternates between a few statements finds them without a hash.
  private var latest: [PreparedStatement] = []
  private let latestCapacity: Int

  init(capacity: Int) {
    latestCapacity = min(capacity, Limits.latestStatements)
    entryCapacity = capacity - latestCapacity
  }

  var count: Int { entries.count + latest.count }

  /// Removes and returns the statement for `sql`, if it is cached.
  mutating func take(_ sql: String) -> PreparedStatement? {
    if let place = place(of: sql) { return latest.remove(at: place) }
    guard !entries.isEmpty else { return nil }
    return entries.removeValue(forKey: StatementText(sql))?.statement
  }

  /// Adds a cleared statement.
  mutating func put(_ statement: PreparedStatement) {
    guard latestCapacity > 0, place(of: statement.sql) == nil else { return }
    if latest.count == latestCapacity { keep(latest.removeFirst()) }
    latest.append(statement)
  }

  private func place(of sql: String) -> Int? { latest.lastIndex { $0.sql.hasSameBytes(as: sql) } }

  private mutating func keep(_ statement: PreparedStatement) {
    guard entryCapacity > 0 else { return }
    let text = StatementText(statement.sql)
    guard entries[text] == nil else { return }
    if entries.count >= entryCapacity { removeLeastRecentlyUsed() }
    uses += 1
    entries[text] = Entry(statement: statement, lastUse: uses)
  }

  mutating func removeAll() {
    latest.removeAll()
    entries.removeAll()
  }

  private mutating func removeLeastRecentlyUsed() {
    // This scans at most `capacity` entries, and only after compiling a new statement, which costs
    // far more.
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    entries.removeValue(forKey: oldest.key)
  }
}
