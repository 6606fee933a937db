extension NSExpression {
  /// The kinds of expressions, with Apple's raw values.
  public enum ExpressionType: UInt, Sendable {
    /// A constant.
    case constantValue = 0
    /// The object that the predicate is evaluated with.
    case evaluatedObject = 1
    /// A value from the substitution variables.
    case variable = 2
    /// The value at a key path of the evaluated object.
    case keyPath = 3
    /// The result of a function.
    case function = 4
    /// The union of two collections.
    case unionSet = 5
    /// The elements that two collections share.
    case intersectSet = 6
    /// The elements of one collection that are not in another.
    case minusSet = 7
    /// The elements of a collection that match a predicate.
    case subquery = 13
    /// A collection of the results of other expressions.
    case aggregate = 14
    /// Any attribute, in full-text queries.
    case anyKey = 15
    /// The result of a closure.
    case block = 19
    /// One of two expressions, chosen by a predicate.
    case conditional = 20
    /// The results of a fetch, `NSFetchRequestExpressionType`.
    case fetchRequest = 50
  }
}
