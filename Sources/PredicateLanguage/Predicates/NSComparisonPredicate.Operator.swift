extension NSComparisonPredicate {
  /// The comparison operators, with Apple's raw values.
  public enum Operator: UInt, Sendable {
    /// `<`
    case lessThan = 0
    /// `<=`
    case lessThanOrEqualTo = 1
    /// `>`
    case greaterThan = 2
    /// `>=`
    case greaterThanOrEqualTo = 3
    /// `==`
    case equalTo = 4
    /// `!=`
    case notEqualTo = 5
    /// `MATCHES`: the whole string matches a regular expression.
    case matches = 6
    /// `LIKE`: the whole string matches a pattern with `*` and `?`.
    case like = 7
    /// `BEGINSWITH`
    case beginsWith = 8
    /// `ENDSWITH`
    case endsWith = 9
    /// `IN`: the left value is an element of the right collection, or a substring of the right
    /// string.
    case `in` = 10
    /// A method of the left value, called with the right value.
    case customSelector = 11
    /// `CONTAINS`: the right value is an element of the left collection, or a substring of the left
    /// string.
    case contains = 99
    /// `BETWEEN`: the left value is in the closed range between the two elements of the right
    /// collection.
    case between = 100
  }
}
