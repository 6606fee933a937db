import ObjectRows
import SQLiteDriver

extension SaveTransaction {
  /// Updates the changed rows.
  ///
  /// Consecutive rows with the same changed properties share a statement.
  func updateRows() throws {
    let rows = changes.updated
    var next = 0
    while next < rows.count {
      let (layout, changed) = (rows[next].layout, rows[next].changed)
      let expectsVersion = rows[next].expectedVersion != nil
      let plan = try store.writePlans.update(
        layout, changed: changed, expectsVersion: expectsVersion)
      var statement = try connection.prepare(plan.sql)
      while next < rows.count, rows[next].layout === layout, rows[next].changed == changed,
        (rows[next].expectedVersion != nil) == expectsVersion
      {
        do {
          try update(rows[next], plan, with: &statement)
        } catch let error as SQLiteError where error.isUniquenessViolation {
          rejected.append(.updated(next))
        }
        next += 1
      }
    }
  }

  /// Updates one of the changed rows.
  func update(at place: Int) throws {
    let change = changes.updated[place]
    let plan = try store.writePlans.update(
      change.layout, changed: change.changed, expectsVersion: change.expectedVersion != nil)
    var statement = try connection.prepare(plan.sql)
    try update(change, plan, with: &statement)
  }

  private func update(
    _ change: borrowing RowChange, _ plan: UpdatePlan, with statement: inout Statement
  ) throws {
    try writer.update(
      change.row, key: change.row.key, expecting: change.expectedVersion, plan, with: &statement)
    if connection.changes == 0 {
      try addVersionConflict(key: change.row.key, plan.schema.layout, isDeletion: false)
    } else if change.expectedVersion == nil {
      try reportVersion(key: change.row.key, plan.schema)
    }
  }

  /// Reports the new version of a row that was written regardless of its version.
  private func reportVersion(key: Int64, _ schema: EntitySchema) throws {
    let version = try connection.value(
      "SELECT Z_OPT FROM \(schema.table) WHERE Z_PK = ?", [.integer(key)])
    guard case .integer(let version) = version else { return }
    receipt.versions[RowKey(key: key, layoutIndex: Int32(schema.layout.index))] = version
  }
}
