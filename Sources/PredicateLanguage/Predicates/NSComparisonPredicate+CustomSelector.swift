extension NSComparisonPredicate {
  /// A comparison by a method of the left value, which gets the right value and gives a truth
  /// value.
  ///
  /// The known methods are those of strings and collections that ask such a question, such as
  /// `hasPrefix:`, `localizedStandardContainsString:` and `containsObject:`; types that adopt
  /// ``SelectorPerforming`` know their own. Such a comparison has no format string that could be
  /// read back.
  public convenience init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector: Selector
  ) {
    self.init(
      left: lhs, right: rhs, modifier: .direct,
      kind: Comparison(.customSelector, selectorName: customSelector.description))
  }

  /// The method of a comparison of type `customSelector`.
  public var customSelector: Selector? { customSelectorName.map { Selector($0) } }
}
