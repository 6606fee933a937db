internal import CSQLite

/// SQLite's request while it plans a query of a virtual table, and the table's answer.
package struct VirtualTableQuery {
  /// A comparison of a column with a value that is known when the query runs.
  package struct Constraint {
    /// The column; -1 is the row number.
    package let column: Int
    package let comparison: Comparison
    /// Whether the right-hand side is available in this plan.
    ///
    /// An unusable constraint must be ignored.
    package let isUsable: Bool

    /// The argument of `begin` that receives the right-hand side, counted from 1; 0 for none.
    package var argument = 0
  }

  /// A kind of comparison.
  ///
  /// SQLite has more kinds than are named here.
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

  /// A number that the table chooses, passed to `begin`.
  package var strategy: Int32 = 0

  /// The estimated cost of the strategy, in disk reads.
  package var estimatedCost: Double = 0

  /// The estimated number of rows.
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

  /// Writes the answer into SQLite's structure.
  func answer(_ info: UnsafeMutablePointer<sqlite3_index_info>) {
    for (index, constraint) in constraints.enumerated() {
      unsafe info.pointee.aConstraintUsage?[index].argvIndex = Int32(clamping: constraint.argument)
    }
    unsafe info.pointee.idxNum = strategy
    unsafe info.pointee.estimatedCost = estimatedCost
    unsafe info.pointee.estimatedRows = estimatedRows
  }
}
