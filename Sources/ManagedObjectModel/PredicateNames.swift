import PredicateLanguage

// Foundation declares classes of these names too, without anything that could be called. Within the
// module the plain names mean ours; a public signature writes the module's name out.
typealias NSExpression = PredicateLanguage.NSExpression
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
