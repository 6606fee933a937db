import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Conflicts of a save.
extension SaveTransaction {
  /// Adds the conflict of a row that has another version than expected, or that is gone.
  func addVersionConflict(key: Int64, _ layout: RowLayout, isDeletion: Bool) throws {
    let row = RowKey(key: key, layoutIndex: Int32(layout.index))
    conflicts.append(.version(row, isDeletion: isDeletion, persisted: try persisted(key, layout)))
  }

  /// The store's current row, on a separate page; nil if it does not exist.
  func persisted(_ key: Int64, _ layout: RowLayout) throws -> RowPage? {
    let plan = try store.plans.plan(for: layout)
    var statement = try connection.prepare(plan.selectByKey)
    try statement.bind(key, at: 1)
    var rows = RowCollector(plan, store.reader, atMost: 1)
    try rows.collect(&statement)
    return rows.fetched.pages.first
  }

  /// Retries rejected rows until no further one can be written; the remaining rows are conflicts.
  ///
  /// If rows exchange their values, each row clears its values before any row gets the new ones.
  func writeRejectedRows() throws {
    try retryRejectedRows()
    guard !rejected.isEmpty else { return }
    for case .updated(let place) in rejected { try clearUniqueValues(of: changes.updated[place]) }
    try retryRejectedRows()
    try addUniquenessConflicts()
  }

  /// Retries rejected rows, in the reverse order first: the next row often frees a row's values.
  private func retryRejectedRows() throws {
    var before = Int.max
    var isReversed = false
    while !rejected.isEmpty, rejected.count < before {
      let waiting = rejected
      before = waiting.count
      rejected = []
      for row in waiting.reversed() { try retry(row) }
      isReversed.toggle()
    }
    if isReversed { rejected.reverse() }
  }

  private func retry(_ row: RejectedRow) throws {
    do {
      switch row {
      case .inserted(let place): try insert(at: place)
      case .updated(let place): try update(at: place)
      }
    } catch let error as SQLiteError where error.isUniquenessViolation {
      rejected.append(row)
    }
  }

  private func clearUniqueValues(of change: RowChange) throws {
    let schema = try store.schema.requireEntity(change.layout)
    let columns = UniqueConstraint.all(of: schema)
      .flatMap(\.parts).filter { change.changed.contains($0.ordinal) }.map(\.column)
    guard !columns.isEmpty else { return }
    let nothing = Set(columns).sorted().map { "\($0) = NULL" }.joined(separator: ", ")
    try run("UPDATE \(schema.table) SET \(nothing) WHERE Z_PK = ?", change.row.key)
  }

  private func addUniquenessConflicts() throws {
    var groups = UniquenessGroups(changes)
    for row in rejected {
      let change =
        switch row {
        case .inserted(let place): changes.inserted[place]
        case .updated(let place): changes.updated[place]
        }
      let schema = try store.schema.requireEntity(change.layout)
      var isExplained = false
      for constraint in UniqueConstraint.all(of: schema) {
        guard let other = try constraint.other(than: change, in: schema, binder, connection) else {
          continue
        }
        isExplained = true
        groups.add(change, against: other, constraint)
      }
      // The table has a constraint that the model lacks, so the conflict cannot name its
      // properties.
      guard isExplained else { throw unexplained(schema) }
    }
    conflicts += try groups.conflicts { group in
      guard let layout = store.layout(ofEntity: group.otherEntity) else { return nil }
      return try persisted(group.other, layout)
    }
  }

  private func unexplained(_ schema: EntitySchema) -> StoreError {
    StoreError(
      .sqlite,
      "A row of \(schema.name) has values that another row has in a unique index of the table \(schema.table) that the "
        + "model does not describe. Drop the index, or add a uniqueness constraint to the model.",
      context: ["entity": schema.name, "table": schema.table])
  }
}

extension SQLiteRowStore {
  func layout(ofEntity number: Int64) -> RowLayout? {
    let index = reader.numbers.layoutIndex(ofEntity: number)
    return index < 0 ? nil : layouts[index]
  }
}
