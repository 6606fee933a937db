extension NSComparisonPredicate {
  /// The comparison of a collection on the left side, with Apple's raw values.
  public enum Modifier: UInt, Sendable {
    /// The sides are compared directly.
    case direct = 0
    /// Every element of the left side must satisfy the comparison.
    case all = 1
    /// At least one element of the left side must satisfy the comparison.
    case any = 2
  }
}
