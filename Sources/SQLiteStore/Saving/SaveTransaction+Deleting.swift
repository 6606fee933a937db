import ObjectRows
import SQLiteDriver

extension SaveTransaction {
  /// Deletes rows and their memberships of many-to-many relationships.
  ///
  /// Consecutive rows of one entity share a statement.
  func deleteRows() throws {
    let rows = changes.deleted
    var next = 0
    while next < rows.count {
      let layout = rows[next].layout
      let expectsVersion = rows[next].expectedVersion != nil
      let plan = try store.writePlans.delete(layout)
      var statement = try connection.prepare(expectsVersion ? plan.sql : plan.sqlOfAnyVersion)
      while next < rows.count, rows[next].layout === layout,
        (rows[next].expectedVersion != nil) == expectsVersion
      {
        try delete(rows[next], plan, with: &statement)
        next += 1
      }
    }
  }

  private func delete(_ deletion: RowDeletion, _ plan: DeletePlan, with statement: inout Statement)
    throws
  {
    try writer.releaseExternalValues(plan.selectExternal, key: deletion.key)
    let tombstone = try tombstone(of: deletion)
    try statement.bind(deletion.key, at: 1)
    if let expected = deletion.expectedVersion { try statement.bind(expected, at: 2) }
    try statement.run()
    if connection.changes > 0 {
      if let tombstone { tombstones.append(tombstone) }
    } else if deletion.expectedVersion != nil {
      try addVersionConflict(key: deletion.key, deletion.layout, isDeletion: true)
    }
    for sql in plan.joinDeletions { try run(sql, deletion.key) }
  }

  /// Runs a statement with integer parameters.
  func run(_ sql: String, _ first: Int64, _ second: Int64? = nil, _ third: Int64? = nil)
    throws(SQLiteError)
  {
    var statement = try connection.prepare(sql)
    try statement.bind(first, at: 1)
    if let second { try statement.bind(second, at: 2) }
    if let third { try statement.bind(third, at: 3) }
    try statement.run()
  }
}
