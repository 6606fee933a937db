/// A function over the rows of a group: one value of this type per group.
package protocol AggregateFunction {
  init()

  /// Adds the arguments of one row.
  mutating func add(_ arguments: borrowing FunctionArguments) throws

  /// The result for the group.
  ///
  /// Called once; for a group without rows, on a new value.
  func result() throws -> Value
}
