/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
public typealias NSExpression = PredicateLanguage.NSExpression

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// The class of Parhelion, in place of Foundation's, whose compounds print `FALSEPREDICATE` and all
/// equal each other.
public typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate
