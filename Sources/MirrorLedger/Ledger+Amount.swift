package import MirrorModel
import ObjectRows
package import SQLiteDriver
package import SQLiteStore

/// How much waits.
extension Ledger {
  /// Counts what waits, and measures the rows of the first of it where that is asked for.
  package func pendingAmount(measuringBytes: Bool = false) throws -> PendingAmount {
    try read { connection in
      var amount = try PendingAmount(connection)
      if measuringBytes { amount.bytes = try bytes(of: amount, connection) }
      return amount
    }
  }

  /// Whether anything waits.
  package var isAnythingPending: Bool {
    get throws {
      try read { connection in
        for sql in Self.anyPending where try connection.number(sql) != nil { return true }
        return false
      }
    }
  }

  static let anyPending = ["PHM_OBJECT", "PHM_PAIR"].map {
    "SELECT 1 FROM \($0) WHERE grp IS NOT NULL LIMIT 1"
  }
  static let objectCounts =
    "SELECT pending, count(*) FROM PHM_OBJECT WHERE grp IS NOT NULL GROUP BY pending"
  static let pairCount = "SELECT count(*) FROM PHM_PAIR WHERE grp IS NOT NULL"

  /// The bytes of the rows of what waits: the mean of the first ones, times all.
  private func bytes(of amount: PendingAmount, _ connection: Connection) throws -> Int64 {
    let waiting = amount.insertions + amount.updates
    guard waiting > 0 else { return 0 }
    var statement = try connection.prepare(
      "SELECT entity, key FROM PHM_OBJECT WHERE grp IS NOT NULL AND pending < 2 ORDER BY grp, "
        + "entity, key LIMIT ?1"
    )
    try statement.bind(LedgerLimits.measuredRows, at: 1)
    var keys: [Int32: [Int64]] = [:]
    var measured = 0
    while try statement.step() {
      guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
      keys[layout, default: []].append(statement.row.int64(at: 1))
      measured += 1
    }
    var total: Int64 = 0
    for (layout, keys) in keys {
      guard let entity = store.schema.entity(store.layouts[layout]) else { continue }
      total += try bytes(of: keys, entity, connection)
    }
    return measured == 0 ? 0 : Int64(Double(total) / Double(measured) * Double(waiting))
  }

  private func bytes(of keys: [Int64], _ entity: EntitySchema, _ connection: Connection) throws
    -> Int64
  {
    guard let sql = Self.measuring(entity) else { return 0 }
    var statement = try connection.prepare(sql)
    var total: Int64 = 0
    for key in keys {
      try statement.bind(key, at: 1)
      while try statement.step() { total += statement.row.int64(at: 0) }
    }
    return total
  }

  /// Measures the values of one object of an entity; nil where it has none.
  package static func measuring(_ entity: EntitySchema) -> String? {
    let columns = entity.columns.compactMap { $0 }.filter { !$0.isComposite }
    guard !columns.isEmpty else { return nil }
    let terms = columns.map { "ifnull(length(\($0.countable)), 0)" }.joined(separator: " + ")
    return "SELECT \(terms) FROM \(entity.table) WHERE Z_PK = ?1"
  }
}

extension PropertyColumn {
  /// What has as many characters as the value has bytes.
  ///
  /// A row's header has the length of a blob, so its bytes are not read. A text must be read.
  fileprivate var countable: String { kind == .varchar ? "CAST(\(name) AS BLOB)" : name }
}

extension PendingAmount {
  /// Counts what waits.
  package init(_ connection: Connection) throws {
    self.init()
    for row in try connection.rows(Ledger.objectCounts) {
      guard case .integer(let kind) = row[0], case .integer(let count) = row[1] else { continue }
      switch OutboxEntry.Kind(rawValue: Int(kind)) {
      case .insertion: insertions = Int(count)
      case .update: updates = Int(count)
      case .deletion: deletions = Int(count)
      case nil: break
      }
    }
    pairs = Int(try connection.number(Ledger.pairCount) ?? 0)
  }
}
