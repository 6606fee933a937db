public import Foundation

/// A value that a predicate compares: a constant, a key path, a function, a subquery, a collection.
///
/// An expression never changes after it was made. Its accessors belong to one kind each; asking an
/// expression of another kind is a programmer's error, as on Apple's platforms.
///
/// ```swift
/// let total = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "amount")])
/// ```
// @unchecked: every stored property is a constant; a mutable object or a closure over shared state that is put into a
// constant or block expression stays its owner's responsibility, as in Apple's class.
open class NSExpression: NSObject, NSCopying, @unchecked Sendable {
  /// The closure of a block expression: the evaluated object, the evaluated arguments, and the
  /// variables.
  public typealias Block = (_ object: Any?, _ arguments: [Any], _ context: NSMutableDictionary?) ->
    Any

  package let node: ExpressionNode

  package init(_ node: ExpressionNode) {
    self.node = node
    super.init()
  }

  /// An expression of a kind that a subclass evaluates itself.
  public init(expressionType type: ExpressionType) {
    node = .custom(type)
    super.init()
  }

  /// An expression that always gives the same value.
  public convenience init(forConstantValue object: Any?) {
    self.init(.constant(object.flatMap(unwrapped)))
  }

  /// An expression that gives the object under evaluation, `SELF`.
  open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

  /// An expression that stands for any attribute in a full-text query.
  open class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  /// An expression that gives the value of a substitution variable; the name has no dollar sign.
  public convenience init(forVariable string: String) {
    self.init(.variable(string))
  }

  /// An expression that gives the value at a dotted key path.
  public convenience init(forKeyPath keyPath: String) {
    self.init(.keyPath(PropertyPath(keyPath)))
  }

  /// An expression that applies one of the known functions, such as `sum:` or `add:to:`.
  ///
  /// The arguments are expressions; any other value becomes a constant. A name that is not known
  /// stops the program, as it raises an exception on Apple's platforms.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard ExpressionFunction(rawValue: name) != nil else {
      preconditionFailure(
        "NSExpression(forFunction:arguments:): \(ExpressionFunction.complaint(about: name, parameters.count))."
      )
    }
    self.init(.function(operand: nil, name: name, arguments: parameters.map(NSExpression.from)))
  }

  /// An expression that calls a method of the value of another expression.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    let arguments = (parameters ?? []).map(NSExpression.from)
    self.init(.function(operand: target, name: name, arguments: arguments))
  }

  /// An expression that gives a collection of the results of other expressions.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(.aggregate(subexpressions.map(NSExpression.from)))
  }

  /// An expression that gives the union of two collections.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.unionSet(left, right))
  }

  /// An expression that gives the elements that two collections share.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.intersectSet(left, right))
  }

  /// An expression that gives the elements of the left collection that the right one lacks.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.minusSet(left, right))
  }

  /// An expression that gives the elements of a collection for which the predicate holds, each in
  /// turn as the variable.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(.subquery(collection: expression, variable: variable, predicate: predicate))
  }

  /// An expression that gives one of two values, as the predicate decides.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(predicate, true: trueExpression, false: falseExpression))
  }

  /// An expression that gives the result of a closure.
  ///
  /// It has no format string that could be read back, and no store can translate it.
  public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
    self.init(.block(block, arguments: arguments ?? []))
  }

  /// Archives of expressions are not read on this platform.
  @available(
    *, unavailable,
    message: "Expressions are not archived on this platform. Keep the format string instead."
  )
  public required init?(coder: NSCoder) {
    node = .anyKey
    super.init()
  }

  // MARK: Reading

  /// The kind of the expression.
  open var expressionType: ExpressionType { node.expressionType }

  /// Expressions are always ready to be evaluated here; the call is accepted for the sake of code
  /// that decodes them.
  open func allowEvaluation() {}

  /// The value of the expression for an object; the dictionary holds the variables' values by name.
  ///
  /// What has no value, such as a key that the object lacks, stops the program, as it raises an
  /// exception on Apple's platforms. `evaluated(with:context:)` throws instead.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    if case .custom = node {
      preconditionFailure("\(type(of: self)) has to override expressionValue(with:context:).")
    }
    do {
      return try value(in: Environment(object: object, context: context))
    } catch {
      preconditionFailure("\(formatText) cannot be evaluated: \(error)")
    }
  }

  // MARK: NSObject

  /// The format string of the expression.
  open override var description: String { formatText }

  /// Whether the other is an expression of the same form with equal values.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSExpression).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash that equal expressions share.
  open override var hash: Int {
    var hasher = Hasher()
    hashForm(into: &hasher)
    return hasher.finalize()
  }

  /// The same expression: it cannot change.
  open override func copy() -> Any { self }

  /// The same expression: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A value as an expression: itself if it is one, a constant otherwise.
  private static func from(_ value: Any) -> NSExpression {
    value as? NSExpression ?? NSExpression(forConstantValue: value)
  }
}
