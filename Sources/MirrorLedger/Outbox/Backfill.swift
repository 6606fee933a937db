import CloudRecords
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The progress of adding existing objects to the outbox.
///
/// It reads the store's tables, then its join tables. If part of the history was lost, it also
/// reads `PHM_OBJECT` for deleted objects. It can restart at any time: nothing gets two entries.
struct Backfill: Equatable {
  /// Whether everything is sent again, because part of the history was lost.
  var sendsAgain: Bool
  /// The index of the table that is being read.
  package var table: Int
  /// The last row that was read.
  package var last: [Int64]

  package static let first = Backfill(sendsAgain: false, table: 0, last: [])
  package static let again = Backfill(sendsAgain: true, table: 0, last: [])
  /// The value of a completed backfill.
  package static let done = Value.text("done")

  /// The value of the state, such as `first 2 1800`.
  package var value: Value {
    .text(
      ([sendsAgain ? "again" : "first", String(table)] + last.map(String.init)).joined(
        separator: " "))
  }

  init(sendsAgain: Bool, table: Int, last: [Int64]) {
    self.sendsAgain = sendsAgain
    self.table = table
    self.last = last
  }

  /// Reads the value of the state; nil if the backfill is done, the beginning if there is no value.
  init?(_ value: Value?) {
    if value == Self.done { return nil }
    guard case .text(let text)? = value else {
      self = .first
      return
    }
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int64($0) }
    self.init(
      sendsAgain: words.first == "again", table: Int(numbers.first ?? 0),
      last: Array(numbers.dropFirst()))
  }
}

/// One step of a backfill, in an open transaction.
struct BackfillStep {
  package let store: SQLiteRowStore
  package let names: LedgerNames
  package let connection: Connection

  /// Enqueues some rows.
  ///
  /// - Returns: Where the next step begins; nil at the end.
  package func run(_ progress: Backfill, _ coalescer: inout OutboxCoalescer) throws -> Backfill? {
    let tables = store.schema.tables
    let relationships = names.relationships.values.sorted { $0.number < $1.number }
    var next = progress
    let last: [Int64]?
    if progress.table < tables.count {
      last = try backfill(tables[progress.table], progress, &coalescer)
    } else if progress.table < tables.count + relationships.count {
      last = try backfill(relationships[progress.table - tables.count], progress, &coalescer)
    } else {
      guard progress.sendsAgain else { return nil }
      guard let found = try deleteMissing(progress, &coalescer) else { return nil }
      last = found
    }
    if let last {
      next.last = last
    } else {
      (next.table, next.last) = (progress.table + 1, [])
    }
    return next
  }

  /// Adds objects of one table; returns the key of the last one, or nil at the end.
  private func backfill(
    _ table: TableSchema, _ progress: Backfill, _ coalescer: inout OutboxCoalescer
  )
    throws -> [Int64]?
  {
    var rows: [(key: Int64, layout: Int)] = []
    var count = 0
    var last: Int64 = 0
    var statement = try connection.prepare(
      "SELECT Z_PK, Z_ENT FROM \(table.name) WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT ?2")
    try statement.bind(progress.last.first ?? .min, LedgerLimits.backfilledRows)
    while try statement.step() {
      (last, count) = (statement.row.int64(at: 0), count + 1)
      guard let entity = store.schema.entity(number: Int(statement.row.int64(at: 1))) else {
        continue
      }
      rows.append((last, entity.layout.index))
    }
    for row in rows {
      guard let entity = names.entity(row.layout) else { continue }
      try coalescer.backfill(entity: entity, key: row.key, sendsAgain: progress.sendsAgain)
    }
    return count == 0 ? nil : [last]
  }

  /// Adds pairs of one relationship; returns the key of the last one, or nil at the end.
  private func backfill(
    _ pair: PairRelationship, _ progress: Backfill, _ coalescer: inout OutboxCoalescer
  ) throws -> [Int64]? {
    var statement = try connection.prepare(
      "SELECT j.\(pair.firstColumn), j.\(pair.secondColumn), f.Z_ENT, s.Z_ENT FROM "
        + "\(pair.joinTable) j "
        + "JOIN \(pair.firstTable) f ON f.Z_PK = j.\(pair.firstColumn) "
        + "JOIN \(pair.secondTable) s ON s.Z_PK = j.\(pair.secondColumn) "
        + "WHERE (j.\(pair.firstColumn), j.\(pair.secondColumn)) > (?1, ?2) ORDER BY 1, 2 LIMIT ?3")
    for place in 0..<2 {
      try statement.bind(place < progress.last.count ? progress.last[place] : .min, at: place + 1)
    }
    try statement.bind(LedgerLimits.backfilledRows, at: 3)
    var rows: [(Int64, Int64, Int, Int)] = []
    while try statement.step() {
      let row = (0..<4).map { statement.row.int64(at: $0) }
      rows.append((row[0], row[1], Int(row[2]), Int(row[3])))
    }
    for (first, second, firstNumber, secondNumber) in rows
    where !pair.isReflexive || first <= second {
      guard let firstEntity = names.entity(number: firstNumber, in: store),
        let secondEntity = names.entity(number: secondNumber, in: store)
      else { continue }
      try coalescer.backfill(pair, (first, firstEntity), (second, secondEntity))
    }
    return rows.last.map { [$0.0, $0.1] }
  }

  /// Enqueues the deletion of objects that only the ledger has, and reconciles the others' pairs.
  private func deleteMissing(_ progress: Backfill, _ coalescer: inout OutboxCoalescer) throws
    -> [Int64]?
  {
    var statement = try connection.prepare(
      "SELECT entity, key FROM PHM_OBJECT WHERE (entity, key) > (?1, ?2) ORDER BY entity, key "
        + "LIMIT ?3"
    )
    for place in 0..<2 {
      try statement.bind(place < progress.last.count ? progress.last[place] : .min, at: place + 1)
    }
    try statement.bind(LedgerLimits.backfilledRows, at: 3)
    var rows: [(entity: Int64, key: Int64)] = []
    while try statement.step() {
      rows.append((statement.row.int64(at: 0), statement.row.int64(at: 1)))
    }
    for row in rows {
      guard let layout = names.layoutIndex(row.entity),
        let entity = store.schema.entity(store.layouts[layout])
      else { continue }
      let isThere =
        try connection.value("SELECT 1 FROM \(entity.table) WHERE Z_PK = ?", [.integer(row.key)])
        != nil
      if !isThere {
        try coalescer.delete(
          RowKey(key: row.key, layoutIndex: layout),
          group: OutboxGroup.of(entity: row.entity, key: row.key))
      } else {
        for side in names.sides(Int(layout)) {
          try coalescer.reconcilePairs(
            of: RowKey(key: row.key, layoutIndex: layout), side,
            layouts: MemberLayouts(store: store),
            group: OutboxGroup.of(entity: row.entity, key: row.key))
        }
      }
    }
    return rows.last.map { [$0.entity, $0.key] }
  }
}

extension LedgerNames {
  /// Returns the ledger's number for an entity's number in the store.
  fileprivate func entity(number: Int, in store: SQLiteRowStore) -> Int64? {
    store.schema.entity(number: number).flatMap { entity($0.layout.index) }
  }
}

extension OutboxCoalescer {
  /// Adds an existing object; one that the ledger has is sent again only if `sendsAgain` is true.
  package mutating func backfill(entity: Int64, key: Int64, sendsAgain: Bool) throws {
    let conflict =
      sendsAgain
      ? "ON CONFLICT(entity, key) DO UPDATE SET pending = CASE pending WHEN 0 THEN 0 ELSE 1 END, "
        + "m0 = -1, m1 = -1, m2 = -1, m3 = -1, grp = ifnull(grp, excluded.grp), stamp = stamp + 1"
      : "ON CONFLICT(entity, key) DO NOTHING"
    var statement = try connection.prepare(
      "INSERT INTO PHM_OBJECT(entity, key, zone, name, pending, grp, stamp) VALUES(?1, ?2, ?3, "
        + "?4, 0, ?5, 1) "
        + conflict)
    try statement.bind(entity, key, homeZone, nextName(), OutboxGroup.of(entity: entity, key: key))
    try statement.run()
  }

  package mutating func backfill(
    _ pair: PairRelationship, _ first: (key: Int64, entity: Int64),
    _ second: (key: Int64, entity: Int64)
  ) throws {
    var statement = try connection.prepare(
      "INSERT INTO PHM_PAIR(relationship, first, second, firstentity, secondentity, zone, "
        + "name, pending, grp, stamp) "
        + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, 1) ON CONFLICT(relationship, first, "
        + "second) DO NOTHING"
    )
    try statement.bind(
      pair.number, first.key, second.key, first.entity, second.entity, homeZone, nextName(),
      OutboxGroup.of(relationship: pair.number, first: first.key))
    try statement.run()
  }
}
