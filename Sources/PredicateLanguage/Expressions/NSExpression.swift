public import Foundation
import Synchronization

/// A value that a predicate compares: a constant, a key path, a function, a subquery, a collection.
///
/// An expression is immutable. Most properties belong to one or two kinds of expressions. Reading
/// one from another kind is a programming error, as on Apple's platforms.
///
/// ```swift
/// let total = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "amount")])
/// ```
// @unchecked: every stored property is a constant. As with Apple's class, the program is
// responsible for mutable objects in constant expressions and for closures over shared state.
open class NSExpression: NSObject, NSCopying, @unchecked Sendable {
  /// The closure of a block expression.
  ///
  /// It receives the evaluated object, the evaluated arguments, and the variables.
  public typealias Block = (_ object: Any?, _ arguments: [Any], _ context: NSMutableDictionary?) ->
    Any

  package let node: ExpressionNode
  /// Whether the expression was decoded, and not allowed to be evaluated yet.
  final let isRestricted = Atomic(false)

  package init(_ node: ExpressionNode) {
    self.node = node
    super.init()
  }

  /// Creates an expression of a kind that a subclass evaluates itself.
  public init(expressionType type: ExpressionType) {
    node = .custom(type)
    super.init()
  }

  /// Creates an expression for a constant value.
  public convenience init(forConstantValue object: Any?) {
    self.init(.constant(object.flatMap(unwrapped)))
  }

  /// Returns the expression for the object under evaluation, `SELF`.
  open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

  /// Returns the expression for any attribute in a full-text query.
  open class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  /// Creates an expression for a substitution variable; the name has no dollar sign.
  public convenience init(forVariable string: String) {
    self.init(.variable(string))
  }

  /// Creates an expression for the value at a dotted key path.
  public convenience init(forKeyPath keyPath: String) {
    self.init(.keyPath(PropertyPath(keyPath)))
  }

  /// Creates an expression that applies a predefined function, such as `sum:` or `add:to:`.
  ///
  /// Arguments that are not expressions become constants. An unknown name stops the program;
  /// Apple's platforms raise an exception.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard ExpressionFunction(rawValue: name) != nil else {
      preconditionFailure(
        "NSExpression(forFunction:arguments:): \(ExpressionFunction.mismatchMessage(for: name, parameters.count))."
      )
    }
    self.init(.function(operand: nil, name: name, arguments: parameters.map(NSExpression.from)))
  }

  /// Creates an expression that calls a method of another expression's value.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    let arguments = (parameters ?? []).map(NSExpression.from)
    self.init(.function(operand: target, name: name, arguments: arguments))
  }

  /// Creates an expression for a collection of the results of other expressions.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(.aggregate(subexpressions.map(NSExpression.from)))
  }

  /// Creates an expression for the union of two collections.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.unionSet(left, right))
  }

  /// Creates an expression for the intersection of two collections.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.intersectSet(left, right))
  }

  /// Creates an expression for the elements of the left collection that are not in the right one.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.minusSet(left, right))
  }

  /// Creates an expression for the elements of a collection that match a predicate.
  ///
  /// The predicate reads each element through the variable.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(.subquery(collection: expression, variable: variable, predicate: predicate))
  }

  /// Creates an expression for one of two values, chosen by a predicate.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(predicate, true: trueExpression, false: falseExpression))
  }

  /// Creates an expression for the result of a closure.
  ///
  /// Its format string cannot be parsed again, and no store can translate it.
  public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
    self.init(.block(block, arguments: arguments ?? []))
  }

  // MARK: Reading

  /// The kind of the expression.
  open var expressionType: ExpressionType { node.expressionType }

  /// Allows the evaluation of an expression that was decoded.
  ///
  /// Check its key paths and functions first. Other expressions can always be evaluated.
  open func allowEvaluation() { endRestriction() }

  /// Returns the value of the expression for an object; the dictionary has the variables' values by
  /// name.
  ///
  /// An evaluation error, such as an unknown key, stops the program; Apple's platforms raise an
  /// exception. `evaluated(with:context:)` throws instead.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    if case .custom = node {
      preconditionFailure("\(type(of: self)) must override expressionValue(with:context:).")
    }
    do {
      return try value(with: EvaluationInputs(object: object, context: context))
    } catch {
      preconditionFailure("\(formatText) cannot be evaluated: \(error)")
    }
  }

  // MARK: NSObject

  /// The format string of the expression.
  open override var description: String { formatText }

  /// Whether the other expression has the same form and equal values.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash value that equal expressions share.
  open override var hash: Int {
    var hasher = Hasher()
    hashForm(into: &hasher)
    return hasher.finalize()
  }

  /// Returns the expression itself, which is immutable.
  open override func copy() -> Any { self }

  /// Returns the expression itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns the value itself if it is an expression, or else a constant expression for it.
  private static func from(_ value: Any) -> NSExpression {
    value as? NSExpression ?? NSExpression(forConstantValue: value)
  }
}
