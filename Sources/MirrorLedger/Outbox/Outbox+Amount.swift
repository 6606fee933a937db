package import MirrorModel
import ObjectRows
package import SQLiteDriver
package import SQLiteStore

/// The number and size of pending entries.
extension Outbox {
  /// Counts the pending entries, and optionally estimates their bytes.
  package func pendingAmount(measuringBytes: Bool = false) throws -> PendingAmount {
    try ledger.read { connection in
      var amount = try PendingAmount(connection)
      if measuringBytes { amount.bytes = try bytes(of: amount, connection) }
      return amount
    }
  }

  /// Whether any entry is pending.
  package var isAnythingPending: Bool {
    get throws { try ledger.store.pool.read { try $0.number(Self.anyPending) } != nil }
  }

  static let anyPending =
    "SELECT 1 WHERE EXISTS(SELECT 1 FROM PHM_OBJECT WHERE grp IS NOT NULL) "
    + "OR EXISTS(SELECT 1 FROM PHM_PAIR WHERE grp IS NOT NULL)"
  static let objectCounts =
    "SELECT pending, count(*) FROM PHM_OBJECT WHERE grp IS NOT NULL GROUP BY pending"
  static let pairCount = "SELECT count(*) FROM PHM_PAIR WHERE grp IS NOT NULL"

  /// Estimates the bytes of the pending rows: the mean of the first ones, times their number.
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
      guard let layout = ledger.names.layoutIndex(statement.row.int64(at: 0)) else { continue }
      keys[layout, default: []].append(statement.row.int64(at: 1))
      measured += 1
    }
    var total: Int64 = 0
    for (layout, keys) in keys {
      guard let entity = ledger.store.schema.entity(ledger.store.layouts[layout]) else { continue }
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

  /// Returns a statement that measures one object's values; nil if the entity has no columns.
  package static func measuring(_ entity: EntitySchema) -> String? {
    let columns = entity.columns.compactMap { $0 }.filter { !$0.isComposite }
    guard !columns.isEmpty else { return nil }
    let terms = columns.map { "ifnull(length(\($0.countable)), 0)" }.joined(separator: " + ")
    return "SELECT \(terms) FROM \(entity.table) WHERE Z_PK = ?1"
  }
}

extension PropertyColumn {
  /// An expression whose length is the value's length in bytes.
  ///
  /// The length of a blob is in the row's header, so its bytes are not read. A text must be read.
  fileprivate var countable: String { kind == .varchar ? "CAST(\(name) AS BLOB)" : name }
}

extension PendingAmount {
  /// Counts the pending entries.
  package init(_ connection: Connection) throws {
    self.init()
    for row in try connection.rows(Outbox.objectCounts) {
      guard case .integer(let kind) = row[0], case .integer(let count) = row[1] else { continue }
      switch OutboxEntry.Kind(rawValue: Int(kind)) {
      case .insertion: insertions = Int(count)
      case .update: updates = Int(count)
      case .deletion: deletions = Int(count)
      case nil: break
      }
    }
    pairs = Int(try connection.number(Outbox.pairCount) ?? 0)
  }
}
