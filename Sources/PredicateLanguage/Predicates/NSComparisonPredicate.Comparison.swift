extension NSComparisonPredicate {
  /// The operator between the two expressions, with its options.
  struct Comparison {
    var type: Operator
    var options: Options = []
    /// The method of `customSelector`.
    var selectorName: String?

    init(_ type: Operator, selectorName: String? = nil) {
      self.type = type
      self.selectorName = selectorName
    }

    /// `TOKENMATCHES` of CloudKit queries: every word of the right text is a word of the left one.
    static let tokenMatches = Comparison(.customSelector, selectorName: tokenMatchesSelectorName)
  }

  /// The method name for `TOKENMATCHES`, which has no operator type in Apple's API.
  package static let tokenMatchesSelectorName = "tokenMatches:"
}
