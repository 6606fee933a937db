/// A read-only table whose rows come from Swift.
///
/// It is registered under a name and is then readable without `CREATE VIRTUAL TABLE`. Nothing is
/// written to a schema, so it also works on a read-only file. A store needs no other kind of
/// virtual table, except for SQLite's R-trees and full-text tables, whose schema is in the file.
package protocol VirtualTable: AnyObject {
  /// The columns, as `CREATE TABLE x(…)`, in which SQLite ignores the table's name.
  var declaration: String { get }

  /// Chooses a strategy for a query, and estimates its cost.
  func plan(_ query: inout VirtualTableQuery) throws

  /// A new cursor.
  func makeCursor() throws -> any VirtualTableCursor
}

/// A position in a virtual table.
package protocol VirtualTableCursor: AnyObject {
  /// Moves to the first row of the result.
  ///
  /// - Parameters:
  ///   - strategy: The choice of `plan`.
  ///   - arguments: The right-hand sides of the constraints that `plan` requested, in its order.
  func begin(strategy: Int32, _ arguments: borrowing FunctionArguments) throws

  /// Whether all rows of the result were read.
  var isAtEnd: Bool { get }

  /// Moves to the next row; called only if not at the end.
  func advance() throws

  /// A column of the current row.
  func column(_ index: Int) throws -> Value

  /// The number of the current row, unique in the table.
  var rowID: Int64 { get }
}
