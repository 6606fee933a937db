import ObjectRows
import SQLiteDriver

/// Writes single rows with prepared statements, and their values in files.
struct RowWriter {
  let connection: Connection
  let files: ExternalFiles
  let binder: RowBinder

  @inline(__always)
  func insert(_ row: RowReference, _ plan: InsertPlan, with statement: inout Statement) throws {
    let mark = files.mark
    do {
      try statement.bind(row.key, at: 1)
      try binder.bind(plan.writes, of: row, plan.schema.layout, to: &statement)
      try statement.run()
    } catch {
      files.rollBack(to: mark)
      throw error
    }
  }

  /// Updates the row with a key.
  ///
  /// - Parameter version: The version that the plan expects; nil if it expects none.
  @inline(__always)
  func update(
    _ row: RowReference, key: Int64, expecting version: Int64?, _ plan: UpdatePlan,
    with statement: inout Statement
  ) throws {
    let mark = files.mark
    do {
      try releaseExternalValues(plan.selectExternal, key: key)
      try binder.bind(plan.writes, of: row, plan.schema.layout, to: &statement)
      try bindVersions(version, key: key, plan, to: &statement)
      try statement.run()
    } catch {
      files.rollBack(to: mark)
      throw error
    }
  }

  @inline(__always)
  private func bindVersions(
    _ expected: Int64?, key: Int64, _ plan: UpdatePlan, to statement: inout Statement
  ) throws(SQLiteError) {
    guard let expected else { return try statement.bind(key, at: plan.versionParameter) }
    // A damaged row may have the highest version, so the addition may wrap around.
    try statement.bind(expected &+ 1, at: plan.versionParameter)
    try statement.bind(key, at: plan.versionParameter + 1)
    try statement.bind(expected, at: plan.versionParameter + 2)
  }

  /// Records the external files that a row is about to release.
  func releaseExternalValues(_ select: String?, key: Int64) throws {
    guard let select else { return }
    var statement = try connection.prepare(select)
    try statement.bind(key, at: 1)
    try releaseExternalValues(from: &statement)
  }

  /// Records the external files that a statement finds.
  func releaseExternalValues(from statement: inout Statement) throws {
    while try statement.step() {
      for column in 0..<statement.row.count {
        if let data = statement.row.data(at: column) { files.release(stored: data) }
      }
    }
  }
}
