/// Parhelion's class.
///
/// It takes precedence over Foundation's unusable class of the same name.
public typealias NSExpression = PredicateLanguage.NSExpression

/// Parhelion's class.
///
/// It takes precedence over Foundation's unusable class of the same name.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// Parhelion's class.
///
/// Foundation's compound predicates print `FALSEPREDICATE` and all compare equal.
public typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate
