import ObjectRows
import SQLiteDriver

extension SaveTransaction {
  /// Inserts the new rows.
  ///
  /// Consecutive rows of one entity share a statement.
  func insertRows() throws {
    let rows = changes.inserted
    var next = 0
    while next < rows.count {
      let plan = try store.writePlans.insert(rows[next].layout)
      let layout = plan.schema.layout
      var statement = try connection.prepare(plan.sql)
      while next < rows.count, rows[next].layout === layout {
        do {
          try writer.insert(rows[next].row, plan, with: &statement)
        } catch let error as SQLiteError where error.isUniquenessViolation {
          refused.append(.inserted(next))
        }
        next += 1
      }
    }
  }

  /// Inserts one of the new rows.
  func insert(at place: Int) throws {
    let change = changes.inserted[place]
    let plan = try store.writePlans.insert(change.layout)
    var statement = try connection.prepare(plan.sql)
    try writer.insert(change.row, plan, with: &statement)
  }
}

extension SQLiteError {
  /// Whether a row was rejected because another row has its unique values.
  var isUniquenessViolation: Bool { code == .constraintUnique }
}
