/// A function over the rows of a group: one value of this type per group.
package protocol AggregateFunction {
  init()

  /// Takes the arguments of one row.
  mutating func add(_ arguments: borrowing FunctionArguments) throws

  /// The result for the group. Called once; for a group without rows, on a fresh value.
  func result() throws -> Value
}
