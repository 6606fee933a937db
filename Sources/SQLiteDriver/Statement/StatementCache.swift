/// Idle prepared statements by their SQL, the least recently used thrown out first.
///
/// A statement in use is not in the cache. So the same SQL used inside itself gets a second statement, and when both
/// come back, one is kept.
struct StatementCache {
  private struct Entry {
    let statement: PreparedStatement
    let lastUse: UInt64
  }

  private let capacity: Int
  private var entries: [StatementText: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { entries.count }

  /// Takes the statement for `sql` out of the cache, if it is there.
  mutating func take(_ sql: String) -> PreparedStatement? {
    entries.removeValue(forKey: StatementText(sql))?.statement
  }

  /// Keeps a statement that has been cleared.
  mutating func put(_ statement: PreparedStatement) {
    guard capacity > 0 else { return }
    let text = StatementText(statement.sql)
    if entries.count >= capacity, entries[text] == nil { removeLeastRecentlyUsed() }
    uses += 1
    entries[text] = Entry(statement: statement, lastUse: uses)
  }

  mutating func removeAll() { entries.removeAll() }

  private mutating func removeLeastRecentlyUsed() {
    // A walk over at most `capacity` entries, and only when a new statement had to be compiled, which costs far more.
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    entries.removeValue(forKey: oldest.key)
  }
}
