import Foundation
import ManagedObjectModel
import PredicateLanguage

/// Evaluates the expressions of an entity mapping.
struct MappingEvaluation {
  let mapping: NSEntityMapping
  let manager: NSMigrationManager
  let policy: NSEntityMigrationPolicy

  /// The source objects of the mapping: none if it has no source expression.
  func sourceObjects() throws -> [NSManagedObject] {
    guard let expression = mapping.sourceExpression else { return [] }
    let value: Any?
    do {
      let variables = variables(source: nil, destination: nil, property: nil)
      value = try expression.evaluated(with: nil, context: variables)
    } catch {
      throw failure("The source expression \(expression) cannot be evaluated", error)
    }
    return MigrationObjects.list(value)
  }

  /// The value of a property mapping's expression.
  func value(
    of expression: PredicateLanguage.NSExpression, for property: NSPropertyMapping,
    source: NSManagedObject?, destination: NSManagedObject
  ) throws -> Any? {
    do {
      let value = try expression.evaluated(
        with: source,
        context: variables(source: source, destination: destination, property: property))
      return value is NSNull ? nil : value
    } catch {
      throw failure(
        """
        The value of \(property.name ?? "a property without a name") cannot be computed with \
        \(expression)
        """,
        error)
    }
  }

  private func variables(
    source: NSManagedObject?, destination: NSManagedObject?, property: NSPropertyMapping?
  ) -> NSMutableDictionary {
    let variables = NSMutableDictionary()
    variables[NSMigrationManagerKey] = manager
    variables[NSMigrationEntityMappingKey] = mapping
    variables[NSMigrationEntityPolicyKey] = policy
    variables[NSMigrationSourceObjectKey] = source ?? NSNull()
    variables[NSMigrationDestinationObjectKey] = destination ?? NSNull()
    variables[NSMigrationPropertyMappingKey] = property ?? NSNull()
    return variables
  }

  /// An error of the mapping.
  func failure(_ what: String, _ reason: any Error) -> NSError {
    cocoaError(
      NSEntityMigrationPolicyError,
      "\(what) in the entity mapping \(mapping.name ?? "without a name"). \(reason)",
      [NSUnderlyingErrorKey: reason as NSError, "mapping": mapping.name ?? ""])
  }

  /// An error of the mapping.
  func failure(_ message: String) -> NSError {
    cocoaError(
      NSEntityMigrationPolicyError,
      "The entity mapping \(mapping.name ?? "without a name"): \(message)",
      ["mapping": mapping.name ?? ""])
  }
}

/// Reads the objects in values of expressions.
enum MigrationObjects {
  /// The objects in a value: one object or a collection of them.
  ///
  /// A set has no order, so its objects are in the order of their keys.
  static func list(_ value: Any?) -> [NSManagedObject] {
    switch value {
    case let object as NSManagedObject: [object]
    case let set as NSOrderedSet: set.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.compactMap { $0 as? NSManagedObject }.sorted { $0.key < $1.key }
    case let objects as [Any]: objects.compactMap { $0 as? NSManagedObject }
    case let set as Set<NSManagedObject>: set.sorted { $0.key < $1.key }
    default: []
    }
  }
}
