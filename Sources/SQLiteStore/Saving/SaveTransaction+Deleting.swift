import ObjectRows
import SQLiteDriver

extension SaveTransaction {
  /// Deletes rows, with their memberships of many-to-many relationships.
  func deleteRows() throws {
    for deletion in changes.deleted {
      let plan = try store.writePlans.delete(deletion.layout)
      try releaseExternalValues(plan.selectExternal, key: deletion.key)
      let tombstone = try tombstone(of: deletion)
      try delete(deletion, plan)
      if let tombstone, connection.changes > 0 { tombstones.append(tombstone) }
      for sql in plan.joinDeletions { try run(sql, deletion.key) }
    }
  }

  private func delete(_ deletion: RowDeletion, _ plan: DeletePlan) throws {
    guard let expected = deletion.expectedVersion else { return try run(plan.sqlOfAnyVersion, deletion.key) }
    try run(plan.sql, deletion.key, expected)
    if connection.changes == 0 { try addVersionConflict(key: deletion.key, deletion.layout, isDeletion: true) }
  }

  /// Runs a statement with whole numbers for its parameters.
  func run(_ sql: String, _ first: Int64, _ second: Int64? = nil, _ third: Int64? = nil) throws(SQLiteError) {
    var statement = try connection.prepare(sql)
    try statement.bind(first, at: 1)
    if let second { try statement.bind(second, at: 2) }
    if let third { try statement.bind(third, at: 3) }
    try statement.run()
  }
}
