internal import CSQLite

/// What SQLite asks of a virtual table while it plans a query, and the table's answer.
package struct VirtualTableQuery {
  /// A comparison of a column with something SQLite will know when the query runs.
  package struct Constraint {
    /// The column; -1 is the row number.
    package let column: Int
    package let comparison: Comparison
    /// Whether the right-hand side is known in this plan.
    ///
    /// An unusable constraint must be ignored.
    package let isUsable: Bool

    /// Which argument of `begin` the right-hand side becomes, counted from 1; 0 when it is not
    /// wanted.
    package var argument = 0
  }

  /// A kind of comparison.
  ///
  /// Open: SQLite has more than are named here.
  package struct Comparison: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let equal = Comparison(rawValue: UInt8(SQLITE_INDEX_CONSTRAINT_EQ))
    package static let greater = Comparison(rawValue: UInt8(SQLITE_INDEX_CONSTRAINT_GT))
    package static let greaterOrEqual = Comparison(rawValue: UInt8(SQLITE_INDEX_CONSTRAINT_GE))
    package static let less = Comparison(rawValue: UInt8(SQLITE_INDEX_CONSTRAINT_LT))
    package static let lessOrEqual = Comparison(rawValue: UInt8(SQLITE_INDEX_CONSTRAINT_LE))
  }

  /// The comparisons of the query.
  ///
  /// SQLite checks each of them again on every row.
  package var constraints: [Constraint]

  /// A number of the table's own choice, given to `begin`.
  package var strategy: Int32 = 0

  /// Roughly how many disk reads the strategy is worth.
  package var estimatedCost: Double = 0

  /// How many rows it will give.
  package var estimatedRows: Int64 = 0

  init(_ info: UnsafePointer<sqlite3_index_info>) {
    let count = unsafe Int(info.pointee.nConstraint)
    constraints = (0..<count).compactMap { index in
      guard let constraint = unsafe info.pointee.aConstraint?[index] else { return nil }
      return Constraint(
        column: Int(constraint.iColumn), comparison: Comparison(rawValue: constraint.op),
        isUsable: constraint.usable != 0)
    }
  }

  /// Writes the answer where SQLite reads it.
  func answer(_ info: UnsafeMutablePointer<sqlite3_index_info>) {
    for (index, constraint) in constraints.enumerated() {
      unsafe info.pointee.aConstraintUsage?[index].argvIndex = Int32(clamping: constraint.argument)
    }
    unsafe info.pointee.idxNum = strategy
    unsafe info.pointee.estimatedCost = estimatedCost
    unsafe info.pointee.estimatedRows = estimatedRows
  }
}
