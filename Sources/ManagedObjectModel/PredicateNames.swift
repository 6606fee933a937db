import PredicateLanguage

// Foundation declares classes with these names too, without any members. In this module, the plain
// names mean the classes of `PredicateLanguage`. A public signature includes that module's name.
typealias NSExpression = PredicateLanguage.NSExpression
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
