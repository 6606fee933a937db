extension NSComparisonPredicate {
  /// How the elements of a collection on the left side are compared, with Apple's raw values.
  public enum Modifier: UInt, Sendable {
    /// The sides are compared directly.
    case direct = 0
    /// Every element of the left side must satisfy the comparison.
    case all = 1
    /// At least one element of the left side must satisfy the comparison.
    case any = 2
  }
}
