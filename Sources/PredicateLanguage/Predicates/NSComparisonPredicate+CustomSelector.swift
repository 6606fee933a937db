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

  /// Creates a comparison by a method, with the modifier and options that `TOKENMATCHES` can have.
  package convenience init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
    selectorName: String, options: Options
  ) {
    var kind = Comparison(.customSelector, selectorName: selectorName)
    kind.options = options
    self.init(left: lhs, right: rhs, modifier: modifier, kind: kind)
  }

  /// The method of a comparison of type `customSelector`.
  public var customSelector: Selector? { customSelectorName.map { Selector($0) } }
}
