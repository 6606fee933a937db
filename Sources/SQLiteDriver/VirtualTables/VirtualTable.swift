/// A read-only table whose rows come from Swift.
///
/// It is registered under a name and can then be read at once, without `CREATE VIRTUAL TABLE`:
/// nothing is written to any schema, so it also works on a read-only file. That is as far as a
/// store needs virtual tables; what has a schema in the file (R-trees) is SQLite's own.
package protocol VirtualTable: AnyObject {
  /// The columns, as `CREATE TABLE x(…)`. SQLite ignores the name in it.
  var declaration: String { get }

  /// Chooses how to answer a query, and says what it will cost.
  func plan(_ query: inout VirtualTableQuery) throws

  /// A fresh reader of the table.
  func makeCursor() throws -> any VirtualTableCursor
}

/// A position in a virtual table.
package protocol VirtualTableCursor: AnyObject {
  /// Goes to the first row of the answer.
  ///
  /// - Parameters:
  ///   - strategy: What `plan` chose.
  ///   - arguments: The right-hand sides of the constraints that `plan` asked for, in its order.
  func begin(strategy: Int32, _ arguments: borrowing FunctionArguments) throws

  /// Whether all rows of the answer were read.
  var isAtEnd: Bool { get }

  /// Goes to the next row. Called only when not at the end.
  func advance() throws

  /// A column of the present row.
  func column(_ index: Int) throws -> Value

  /// The number of the present row, unique in the table.
  var rowID: Int64 { get }
}
