import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Inserts the rows of a batch request, some at a time.
///
/// If another row has a row's unique values, `UniquenessRule` decides. Earlier rows of the same
/// request count as stored rows, so the rule keeps the first or the last of several.
final class BatchInserter {
  private let batch: BatchInsertion
  private let transaction: BatchTransaction
  private let plan: InsertPlan
  private let constraints: [UniqueConstraint]
  /// The number of rows that were taken so far.
  private var rowCount = 0
  /// The key of the first inserted row; later ones are greater.
  private var firstKey: Int64?
  /// The changed properties of rows that are older than the request.
  private var updated: [RowKey: OrdinalSet] = [:]
  /// The keys of the rows in `updated`, in the order of their first change.
  private var updatedKeys: ContiguousArray<RowKey> = []

  init(_ batch: BatchInsertion, _ transaction: BatchTransaction) throws {
    self.batch = batch
    self.transaction = transaction
    plan = try transaction.store.writePlans.insert(batch.layout)
    constraints = UniqueConstraint.all(of: plan.schema)
  }

  private var connection: Connection { transaction.connection }

  func run(startingWith first: ContiguousArray<BatchRow>) throws {
    var rows = first
    var statement = try connection.prepare(plan.sql)
    while !rows.isEmpty {
      let inserted = try insert(rows, with: &statement)
      if !inserted.isEmpty {
        try transaction.record { try $0.write(inserted, .insertion) }
        report(inserted)
      }
      rowCount += rows.count
      rows = try batch.nextRows()
    }
    try recordUpdates()
  }

  private func insert(_ rows: ContiguousArray<BatchRow>, with statement: inout Statement) throws
    -> ContiguousArray<RowChange>
  {
    let layout = batch.layout
    let keys = try KeyReservation([(layout, rows.count)], transaction.store.schema)
      .runInTransaction(on: connection)[0]
    firstKey = firstKey ?? keys.first
    var inserted: ContiguousArray<RowChange> = []
    inserted.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() {
      row.row.key = keys.lowerBound + Int64(place)
      do {
        try transaction.writer.insert(row.row, plan, with: &statement)
      } catch let error as SQLiteError where error.isUniquenessViolation {
        try resolve(row, at: rowCount + place, error)
        continue
      }
      inserted.append(
        RowChange(layout: layout, row: row.row, changed: OrdinalSet(), expectedVersion: nil))
    }
    return inserted
  }

  private func report(_ inserted: ContiguousArray<RowChange>) {
    transaction.receipt.count += inserted.count
    guard batch.reportsKeys else { return }
    let layoutIndex = Int32(batch.layout.index)
    for change in inserted {
      transaction.receipt.keys.append(RowKey(key: change.row.key, layoutIndex: layoutIndex))
    }
  }

  // MARK: Unique values

  private func resolve(_ row: BatchRow, at place: Int, _ error: SQLiteError) throws {
    let others = try others(than: row)
    guard let other = others.first, batch.uniqueness != .fail else {
      throw conflict(at: place, error)
    }
    if batch.uniqueness == .keepStored { return }
    guard Set(others.map(\.key)).count == 1,
      let layout = transaction.store.layout(ofEntity: other.entity),
      transaction.store.layouts.family(of: batch.layout).contains(layout.index)
    else { throw conflict(at: place, error) }
    let changed = changed(by: row)
    guard !changed.isEmpty else { return }
    do {
      try update(RowKey(key: other.key, layoutIndex: Int32(layout.index)), row, changed)
    } catch let error as SQLiteError where error.isUniquenessViolation {
      throw conflict(at: place, error)
    }
  }

  /// The rows that have a row's unique values.
  private func others(than row: BatchRow) throws -> [(key: Int64, entity: Int64)] {
    let change = RowChange(
      layout: batch.layout, row: row.row, changed: OrdinalSet(), expectedVersion: nil)
    return try constraints.compactMap {
      try $0.other(than: change, in: plan.schema, transaction.writer.binder, connection)
    }
  }

  /// The attributes that a row gives to a stored one.
  private func changed(by row: BatchRow) -> OrdinalSet {
    let isReplacement = batch.uniqueness == .replace
    return OrdinalSet(
      plan.writes.lazy.map(\.ordinal).filter { ordinal in
        guard self.batch.layout.properties[ordinal] is NSAttributeDescription else { return false }
        return isReplacement || row.given.contains(ordinal)
      })
  }

  private func update(_ key: RowKey, _ row: BatchRow, _ changed: OrdinalSet) throws {
    let plan = try transaction.store.writePlans.update(
      batch.layout, changed: changed, expectsVersion: false)
    var statement = try connection.prepare(plan.sql)
    try transaction.writer.update(
      row.row, key: key.key, expecting: nil, plan, with: &statement)
    // A row that this request inserted is recorded as inserted.
    if let firstKey, key.key >= firstKey { return }
    if updated[key] == nil { updatedKeys.append(key) }
    updated[key, default: OrdinalSet()].formUnion(changed)
  }

  private func recordUpdates() throws {
    guard !updatedKeys.isEmpty else { return }
    transaction.receipt.count += updatedKeys.count
    transaction.receipt.stale += updatedKeys
    if batch.reportsKeys { transaction.receipt.keys += updatedKeys }
    let keys = try transaction.makeKeys(.changed, of: plan.schema)
    let groups = Dictionary(grouping: updatedKeys) { updated[$0] ?? OrdinalSet() }
    // The order of a dictionary must not decide the order of the history.
    let first = groups.mapValues { $0.map(\.key).min() ?? 0 }
    for (changed, rows) in groups.sorted(by: { first[$0.key] ?? 0 < first[$1.key] ?? 0 }) {
      try connection.run("DELETE FROM \(keys.name)")
      var statement = try connection.prepare(
        "INSERT INTO \(keys.name)(key, entity) VALUES(?, ?)")
      for row in rows {
        try statement.bind(row.key, at: 1)
        try statement.bind(
          transaction.store.reader.numbers.number(ofLayout: row.layoutIndex), at: 2)
        try statement.run()
      }
      try transaction.recordUpdate(changed, of: keys)
    }
  }

  private func conflict(at place: Int, _ error: SQLiteError) -> StoreError {
    let names = constraints.map { $0.names.joined(separator: ", ") }.joined(separator: "; ")
    return StoreError(
      .batchUniqueness,
      "Row \(place) (counted from 0) of the batch insertion into \(plan.schema.name) has unique "
        + "values (\(names)) that another object has. Set a merge policy of the context that "
        + "decides, or insert other values. Nothing was inserted.",
      context: ["entity": plan.schema.name, "row": String(place)], underlying: error)
  }
}
