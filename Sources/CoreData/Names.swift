/// Parhelion's `NSExpression`, which takes precedence over Foundation's unusable class.
public typealias NSExpression = PredicateLanguage.NSExpression

/// Parhelion's `NSComparisonPredicate`, which takes precedence over Foundation's unusable class.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// Parhelion's `NSCompoundPredicate`, which takes precedence over Foundation's class.
///
/// Foundation's compound predicates print `FALSEPREDICATE` and all compare equal.
public typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate
