import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Gives new values to the rows that a fetch finds, usually by one statement.
///
/// Values that are computed from other rows are first collected in a temporary table, so that all
/// of them are computed from the rows before the update. If rows exchange unique values, all
/// computed values are collected, because SQLite checks uniqueness after each row.
final class BatchUpdater {
  private let batch: BatchUpdate
  private let transaction: BatchTransaction
  private let entity: EntitySchema
  private let keys: KeyTable

  init(_ batch: BatchUpdate, _ transaction: BatchTransaction) throws {
    self.batch = batch
    self.transaction = transaction
    entity = try transaction.store.schema.requireEntity(batch.fetch.layout)
    keys = try transaction.makeKeys(.changed, of: entity)
  }

  private var connection: Connection { transaction.connection }

  func run() throws {
    try transaction.add(batch.fetch, to: keys)
    let count = connection.changes
    guard count > 0 else { return }
    let assignments = try AssignmentTranslator(entity, transaction.store).assignments(
      batch.expressions)
    // Subentities have the same ordinals.
    for rows in try transaction.entities(in: keys) {
      try transaction.releaseExternalValues(of: rows, among: batch.changed.ordinals, keys)
    }
    try update(assignments)
    try checkRanges(assignments)
    try transaction.recordUpdate(batch.changed, of: keys)
    transaction.receipt.count = count
    transaction.receipt.stale = try transaction.keys(in: keys)
    if batch.reportsKeys { transaction.receipt.keys = transaction.receipt.stale }
  }

  private func update(_ assignments: ExpressionAssignments) throws {
    if !assignments.readOtherRows {
      let mark = transaction.writer.files.mark
      do {
        return try connection.savepoint { try write(assignments, .direct) }
      } catch let error as SQLiteError where error.isUniquenessViolation {
        transaction.writer.files.rollBack(to: mark)
      }
    }
    do {
      try write(assignments, .collected)
    } catch let error as SQLiteError where error.isUniquenessViolation {
      throw uniquenessError(error)
    }
  }

  /// Whether a statement computes the values of expressions, or reads collected ones.
  private enum Source {
    case direct, collected
  }

  private func write(_ assignments: ExpressionAssignments, _ source: Source) throws {
    var writes = ColumnWrites(firstParameter: 1)
    for ordinal in batch.constantOrdinals.ordinals { writes.add(ordinal, of: entity) }
    var parts = writes.columns.map { "\($0.name) = ?\($0.parameter)" }
    var bindings: [Value] = []
    switch source {
    case .direct:
      parts += assignments.items.map { "\($0.column) = \($0.text.text)" }
      bindings = assignments.bindings
    case .collected:
      try collect(assignments)
      try clearUniqueValues(
        among: writes.columns.map(\.name) + assignments.items.map(\.column))
      for (place, item) in assignments.items.enumerated() {
        let values = assignments.tableName
        parts.append("\(item.column) = (SELECT v\(place) FROM \(values) WHERE key = t0.Z_PK)")
      }
    }
    parts.append("Z_OPT = IFNULL(Z_OPT, 0) + 1")
    let sql = "UPDATE OR FAIL \(entity.table) AS t0 SET \(parts.joined(separator: ", ")) WHERE "
    try connection.withIntegers(source == .direct ? assignments.integerArrays : []) {
      try run(sql, writes, bindings)
    }
  }

  /// Runs the update: once for all rows, or once per row if each row needs a separate file.
  private func run(_ sql: String, _ writes: ColumnWrites, _ bindings: [Value]) throws {
    let runsPerRow = hasLargeConstant(writes)
    var statement = try connection.prepare(
      sql + (runsPerRow ? "t0.Z_PK = ?" : "t0.Z_PK IN \(keys.select)"))
    let first = writes.parameterAfter
    for (place, value) in bindings.enumerated() {
      try statement.bind(value: value, at: first + place)
    }
    guard runsPerRow else { return try run(&statement, writes) }
    for row in try transaction.keys(in: keys) {
      try statement.bind(row.key, at: first + bindings.count)
      try run(&statement, writes)
    }
  }

  private func run(_ statement: inout Statement, _ writes: ColumnWrites) throws {
    try transaction.writer.binder.bind(
      writes.writes, of: batch.constants, entity.layout, to: &statement)
    try statement.run()
  }

  private func hasLargeConstant(_ writes: ColumnWrites) -> Bool {
    guard transaction.store.reader.externalFolder != nil else { return false }
    return writes.writes.contains { write in
      guard write.isExternal else { return false }
      switch write.slot.load(from: batch.constants, as: BoxedValue?.self) {
      case let box as EncodedValue: return box.data.count >= Limits.externalDataBytes
      case let box as BinaryValue: return box.data.count >= Limits.externalDataBytes
      default: return false
      }
    }
  }

  // MARK: Collected values

  private func collect(_ assignments: ExpressionAssignments) throws {
    guard !assignments.items.isEmpty else { return }
    let columns = assignments.items.indices.map { "v\($0)" }
    try connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS \(assignments.table)"
        + "(key INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
    try connection.run("DELETE FROM \(assignments.tableName)")
    let values = assignments.items.map(\.text.text).joined(separator: ", ")
    try connection.withIntegers(assignments.integerArrays) {
      try connection.run(
        "INSERT INTO \(assignments.tableName) SELECT t0.Z_PK, \(values) FROM \(entity.table) t0 "
          + "WHERE t0.Z_PK IN \(keys.select)", assignments.bindings)
    }
  }

  /// Clears the unique values that the update replaces, so that no row gets a value that another
  /// row still has.
  private func clearUniqueValues(among written: [String]) throws {
    let columns = UniqueConstraint.all(of: entity).flatMap(\.parts).map(\.column)
      .filter(written.contains)
    guard !columns.isEmpty else { return }
    let nothing = Set(columns).sorted().map { "\($0) = NULL" }.joined(separator: ", ")
    try connection.run("UPDATE \(entity.table) SET \(nothing) WHERE Z_PK IN \(keys.select)")
  }

  // MARK: Errors

  /// Throws if a computed number does not fit into its attribute.
  ///
  /// SQLite's integer arithmetic and `ParhelionInteger` return a number beyond 64 bits as a real.
  private func checkRanges(_ assignments: ExpressionAssignments) throws {
    for item in assignments.items {
      guard let range = item.range else { continue }
      let found = try connection.value(
        "SELECT \(item.column) FROM \(entity.table) WHERE Z_PK IN \(keys.select) "
          + "AND (typeof(\(item.column)) = 'real' OR \(item.column) "
          + "NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)) LIMIT 1")
      let number: String
      switch found {
      case .integer(let value)?: number = "\(value)"
      case .real(let value)?: number = "\(value)"
      default: continue
      }
      throw StoreError(
        .batchValue,
        "The batch update of \(entity.name) computed \(number) for \(item.name), which holds "
          + "numbers from \(range.lowerBound) to \(range.upperBound). "
          + "Nothing was updated in this store.",
        context: ["entity": entity.name, "property": item.name])
    }
  }

  private func uniquenessError(_ error: SQLiteError) -> StoreError {
    let changed = batch.changed
    let names = UniqueConstraint.all(of: entity)
      .filter { $0.parts.contains { changed.contains($0.ordinal) } }
      .map { $0.names.joined(separator: ", ") }
    return StoreError(
      .batchUniqueness,
      "The batch update of \(entity.name) would give several objects the same unique values "
        + "(\(names.joined(separator: "; "))). Update fewer objects, or compute different values. "
        + "Nothing was updated in this store.",
      context: ["entity": entity.name], underlying: error)
  }
}
