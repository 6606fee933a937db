/// The superclasses of archived classes, as Apple's archives name them.
enum ArchivedClasses {
  /// The class and its superclasses up to `NSObject`.
  static func lineage(of className: String) -> [String] {
    var lineage = [className]
    while let parent = superclasses[lineage.last ?? ""], lineage.count <= superclasses.count {
      lineage.append(parent)
    }
    return lineage.last == "NSObject" ? lineage : lineage + ["NSObject"]
  }

  private static let superclasses: [String: String] = [
    "NSMutableArray": "NSArray",
    "NSMutableDictionary": "NSDictionary",
    "NSMutableSet": "NSSet",
    "NSMutableString": "NSString",
    "NSMutableData": "NSData",
    "NSDecimalNumberPlaceholder": "NSDecimalNumber",
    "NSDecimalNumber": "NSNumber",
    "NSNumber": "NSValue",
    "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
    "NSKnownKeysDictionary": "NSMutableDictionary",
    "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy",
    "NSAttributeDescription": "NSPropertyDescription",
    "NSDerivedAttributeDescription": "NSAttributeDescription",
    "NSCompositeAttributeDescription": "NSAttributeDescription",
    "NSRelationshipDescription": "NSPropertyDescription",
    "NSFetchedPropertyDescription": "NSPropertyDescription",
    "NSExpressionDescription": "NSPropertyDescription",
    "NSFetchRequest": "NSPersistentStoreRequest",
    "NSComparisonPredicate": "NSPredicate",
    "NSCompoundPredicate": "NSPredicate",
    "NSTruePredicate": "NSPredicate",
    "NSFalsePredicate": "NSPredicate",
    "NSEqualityPredicateOperator": "NSPredicateOperator",
    "NSComparisonPredicateOperator": "NSPredicateOperator",
    "NSInPredicateOperator": "NSPredicateOperator",
    "NSBetweenPredicateOperator": "NSPredicateOperator",
    "NSCustomPredicateOperator": "NSPredicateOperator",
    "NSStringPredicateOperator": "NSPredicateOperator",
    "NSMatchingPredicateOperator": "NSStringPredicateOperator",
    "NSLikePredicateOperator": "NSMatchingPredicateOperator",
    "NSSubstringPredicateOperator": "NSStringPredicateOperator",
    "NSConstantValueExpression": "NSExpression",
    "NSSelfExpression": "NSExpression",
    "NSVariableExpression": "NSExpression",
    "NSKeyPathSpecifierExpression": "NSExpression",
    "NSFunctionExpression": "NSExpression",
    "NSKeyPathExpression": "NSFunctionExpression",
    "NSAggregateExpression": "NSExpression",
    "NSSetExpression": "NSExpression",
    "NSSubqueryExpression": "NSExpression",
    "NSTernaryExpression": "NSExpression",
    "NSFetchRequestExpression": "NSExpression",
    "NSAnyKeyExpression": "NSExpression",
  ]
}
