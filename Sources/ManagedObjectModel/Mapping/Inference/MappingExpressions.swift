import Foundation
package import PredicateLanguage

/// The expressions of inferred mapping models, and of those that Xcode generates.
package enum MappingExpressions {
  private static func variable(_ name: String) -> NSExpression { NSExpression(forVariable: name) }

  /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", …), …, NO)`:
  /// the objects of a source entity, without those of its subentities.
  package static func objects(
    ofEntity name: String, matching predicate: String = "TRUEPREDICATE"
  ) -> PredicateLanguage.NSExpression {
    let request = NSExpression(
      forFunction: variable(NSMigrationManagerKey),
      selectorName: ManagerSelector.sourceRequest, arguments: [name, predicate])
    let context = NSExpression(
      forFunction: variable(NSMigrationManagerKey), selectorName: "valueForKey:",
      arguments: ["sourceContext"])
    return NSFetchRequestExpression.expression(
      forFetch: request, context: context, countOnly: false)
  }

  /// `FUNCTION($source, "valueForKey:", "name")`.
  package static func sourceValue(_ name: String) -> PredicateLanguage.NSExpression {
    NSExpression(
      forFunction: variable(NSMigrationSourceObjectKey), selectorName: "valueForKey:",
      arguments: [name])
  }

  /// `FUNCTION($source, "valueForKeyPath:", "key.path")`, which Xcode shows as `$source.key.path`.
  package static func sourceValue(at keyPath: String) -> PredicateLanguage.NSExpression {
    NSExpression(
      forFunction: variable(NSMigrationSourceObjectKey), selectorName: "valueForKeyPath:",
      arguments: [keyPath])
  }

  /// `TERNARY(value == nil, default, value)`.
  static func value(_ value: NSExpression, orDefault standard: Any) -> NSExpression {
    let isMissing = NSComparisonPredicate(
      leftExpression: value, rightExpression: NSExpression(forConstantValue: nil),
      modifier: .direct, type: .equalTo, options: [])
    return NSExpression(
      forConditional: isMissing, trueExpression: NSExpression(forConstantValue: standard),
      falseExpression: value)
  }

  /// The objects that any entity mapping created from the source object's related objects.
  package static func destinations(ofRelationship name: String)
    -> PredicateLanguage.NSExpression
  {
    NSExpression(
      forFunction: variable(NSMigrationManagerKey),
      selectorName: ManagerSelector.destinationsOfRelationship,
      arguments: [name, sourceValue(name)])
  }

  /// The objects that one entity mapping created from the source object's related objects.
  package static func destinations(ofKeyPath keyPath: String, inMapping mapping: String)
    -> PredicateLanguage.NSExpression
  {
    NSExpression(
      forFunction: variable(NSMigrationManagerKey), selectorName: ManagerSelector.destinations,
      arguments: [mapping, sourceValue(at: keyPath)])
  }
}

/// The methods of a migration manager that expressions call.
package enum ManagerSelector {
  package static let destinations = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  package static let sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"
  package static let destinationsOfRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  package static let sourceRequest = "fetchRequestForSourceEntityNamed:predicateString:"
  package static let sourceEntity = "sourceEntityForEntityMapping:"
  package static let destinationEntity = "destinationEntityForEntityMapping:"
}
