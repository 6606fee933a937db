/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete with.
public typealias NSExpression = PredicateLanguage.NSExpression

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete with.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
