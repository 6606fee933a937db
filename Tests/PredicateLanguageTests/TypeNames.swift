import PredicateLanguage

// Foundation has unusable classes of these names; a file that imports both modules would find the
// names ambiguous. Applications get the same lines from the code generator.
typealias NSExpression = PredicateLanguage.NSExpression
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate
