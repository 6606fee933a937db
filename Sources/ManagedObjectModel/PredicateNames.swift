import PredicateLanguage

// Foundation declares classes with these names too, without any members. In this module the plain
// names mean ours; a public signature includes the module's name.
typealias NSExpression = PredicateLanguage.NSExpression
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
