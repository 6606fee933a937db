import Foundation
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// A predicate prepared for the objects of one context.
///
/// Constants that are identifiers, or objects of other contexts, are converted for comparison.
struct LocalPredicate {
  let context: NSManagedObjectContext

  func apply(to predicate: NSPredicate) throws -> NSPredicate {
    try predicate.node.replacingComparisons { comparison in
      let wantsIdentifiers = [comparison.leftExpression, comparison.rightExpression].contains(
        where: Self.isIdentifier)
      return try comparison.replacingExpressions { expression throws(PredicateEvaluationError) in
        guard case .constant(let value) = expression.node else { return nil }
        return local(value, wantsIdentifiers).map { NSExpression(forConstantValue: $0) }
      }
    }
  }

  private static func isIdentifier(_ expression: NSExpression) -> Bool {
    if case .keyPath(let path) = expression.node { return path.components.last == "objectID" }
    return false
  }

  /// The value of a constant for this context, or nil if it does not change.
  private func local(_ value: Any?, _ wantsIdentifiers: Bool) -> Any? {
    switch value {
    case let named as any ObjectIdentified: return local(named, wantsIdentifiers)
    case let array as [Any]: return localElements(array, wantsIdentifiers)
    case let set as NSSet: return localElements(set.allObjects, wantsIdentifiers)
    case let set as NSOrderedSet: return localElements(set.array, wantsIdentifiers)
    default: return nil
    }
  }

  private func localElements(_ elements: [Any], _ wantsIdentifiers: Bool) -> [Any]? {
    guard elements.contains(where: { $0 is any ObjectIdentified }) else { return nil }
    return elements.map { local($0, wantsIdentifiers) ?? $0 }
  }

  private func local(_ named: any ObjectIdentified, _ wantsIdentifiers: Bool) -> Any {
    if wantsIdentifiers { return named.identified }
    if let object = named as? NSManagedObject, object.context === context { return object }
    return context.fault(for: named.identified)
  }
}
