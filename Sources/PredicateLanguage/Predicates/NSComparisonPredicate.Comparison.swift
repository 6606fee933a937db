extension NSComparisonPredicate {
  /// What stands between the two expressions.
  struct Comparison {
    var type: Operator
    var options: Options = []
    /// The method of `customSelector`.
    var selectorName: String?

    init(_ type: Operator, selectorName: String? = nil) {
      self.type = type
      self.selectorName = selectorName
    }

    /// `TOKENMATCHES`, which CloudKit queries know: every word of the right text is a word of the
    /// left one.
    static let tokenMatches = Comparison(.customSelector, selectorName: tokenMatchesSelectorName)
  }

  /// The method that `TOKENMATCHES` is kept as, since Apple gives the operator no number.
  package static let tokenMatchesSelectorName = "tokenMatches:"
}
