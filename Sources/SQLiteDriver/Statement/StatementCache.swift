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
  /// The statement that came back last, which is the next one wanted in a loop: it is not looked up.
  private var latest: PreparedStatement?

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { entries.count + (latest == nil ? 0 : 1) }

  /// Takes the statement for `sql` out of the cache, if it is there.
  mutating func take(_ sql: String) -> PreparedStatement? {
    if let found = latest, found.sql.hasSameBytes(as: sql) {
      latest = nil
      return found
    }
    return entries.removeValue(forKey: StatementText(sql))?.statement
  }

  /// Keeps a statement that has been cleared.
  mutating func put(_ statement: PreparedStatement) {
    guard capacity > 0 else { return }
    if let former = latest, !former.sql.hasSameBytes(as: statement.sql) { keep(former) }
    latest = statement
  }

  private mutating func keep(_ statement: PreparedStatement) {
    let text = StatementText(statement.sql)
    guard entries[text] == nil else { return }
    if entries.count >= capacity - 1 { removeLeastRecentlyUsed() }
    guard entries.count < capacity - 1 else { return }
    uses += 1
    entries[text] = Entry(statement: statement, lastUse: uses)
  }

  mutating func removeAll() {
    latest = nil
    entries.removeAll()
  }

  private mutating func removeLeastRecentlyUsed() {
    // A walk over at most `capacity` entries, and only when a new statement had to be compiled, which costs far more.
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    entries.removeValue(forKey: oldest.key)
  }
}
