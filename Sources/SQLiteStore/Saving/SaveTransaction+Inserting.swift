import ObjectRows
import SQLiteDriver

extension SaveTransaction {
  /// Inserts the new rows.
  ///
  /// All rows of one entity share a statement.
  func insertRows() throws {
    let rows = changes.inserted
    var insertions: [Int: Insertion] = [:]
    var next = 0
    while next < rows.count {
      let layout = rows[next].layout
      let insertion = try insertions[layout.index] ?? Insertion(layout, in: self)
      insertions[layout.index] = insertion
      let plan = insertion.plan
      while next < rows.count, rows[next].layout === layout {
        do {
          try writer.insert(rows[next].row, plan, with: &insertion.statement)
        } catch let error as SQLiteError where error.isUniquenessViolation {
          rejected.append(.inserted(next))
        }
        next += 1
      }
    }
  }

  /// The statement that inserts rows of one entity.
  private final class Insertion {
    let plan: InsertPlan
    @safe @exclusivity(unchecked) var statement: Statement

    init(_ layout: RowLayout, in transaction: SaveTransaction) throws {
      plan = try transaction.store.writePlans.insert(layout)
      statement = try transaction.connection.prepare(plan.sql)
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
