extension NSComparisonPredicate {
  /// Creates a comparison by a method of the left value, which receives the right value and returns
  /// a Boolean.
  ///
  /// The predefined methods are the Boolean methods of strings and collections, such as
  /// `hasPrefix:`, `localizedStandardContainsString:` and `containsObject:`. Types that adopt
  /// ``SelectorPerforming`` add their own. The comparison's format string cannot be parsed again.
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
