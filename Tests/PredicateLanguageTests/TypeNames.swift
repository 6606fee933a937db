import PredicateLanguage

// Foundation has unusable classes of these names, which are ambiguous in a file that imports both
// modules. The code generator gives applications the same lines.
typealias NSExpression = PredicateLanguage.NSExpression
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate
