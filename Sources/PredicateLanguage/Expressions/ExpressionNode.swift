package import Foundation

/// The content of an expression: one case per kind, for the evaluator, the printer and SQL
/// generation.
package enum ExpressionNode {
  /// A constant; `nil` is the null constant.
  case constant(Any?)
  /// `SELF`.
  case evaluatedObject
  /// `$name`, without the dollar sign.
  case variable(String)
  /// A key path that starts at the evaluated object.
  case keyPath(PropertyPath)
  /// A predefined function, or a method of the operand if there is one.
  case function(operand: NSExpression?, name: String, arguments: [NSExpression])
  case unionSet(NSExpression, NSExpression)
  case intersectSet(NSExpression, NSExpression)
  case minusSet(NSExpression, NSExpression)
  /// `SUBQUERY(collection, $variable, predicate)`.
  case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
  /// `{a, b, c}`.
  case aggregate([NSExpression])
  /// Any attribute of the object, in full-text queries only.
  case anyKey
  case block(NSExpression.Block, arguments: [NSExpression])
  case conditional(NSPredicate, true: NSExpression, false: NSExpression)
  /// `FETCH(request, context, NO)`.
  case fetch(request: NSExpression, context: NSExpression, countOnly: Bool)
  /// An application's own subclass, which evaluates itself.
  case custom(NSExpression.ExpressionType)

  /// Apple's number for the kind.
  package var expressionType: NSExpression.ExpressionType {
    switch self {
    case .constant: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .variable: .variable
    case .keyPath: .keyPath
    case .function: .function
    case .unionSet: .unionSet
    case .intersectSet: .intersectSet
    case .minusSet: .minusSet
    case .subquery: .subquery
    case .aggregate: .aggregate
    case .anyKey: .anyKey
    case .block: .block
    case .conditional: .conditional
    case .fetch: .fetchRequest
    case .custom(let type): type
    }
  }
}
