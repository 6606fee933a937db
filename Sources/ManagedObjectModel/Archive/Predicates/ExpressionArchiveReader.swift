import PredicateLanguage
import PropertyLists

/// Reads archived expressions.
///
/// | class | keys other than `NSExpressionType` | in real files |
/// |---|---|---|
/// | `NSConstantValueExpression` | `NSConstantValue` or `NSConstantValueClassName` | yes |
/// | `NSSelfExpression` | | yes |
/// | `NSVariableExpression` | `NSVariable` | yes |
/// | `NSKeyPathExpression` | `NSOperand`, `NSSelectorName`, `NSArguments` | yes |
/// | `NSKeyPathSpecifierExpression` | `NSKeyPath` | yes |
/// | `NSFunctionExpression` | `NSOperand`, `NSSelectorName`, `NSArguments` | yes |
/// | `NSAggregateExpression` | `NSCollection` | no |
/// | `NSSetExpression` | `NSLeftExpression`, `NSRightExpression` | no |
/// | `NSSubqueryExpression` | `NSCollection`, `NSVariable`, `NSPredicate` | no |
/// | `NSTernaryExpression` | `NSPredicate`, `NSTrueExpression`, `NSFalseExpression` | no |
/// | `NSAnyKeyExpression` | | no |
/// | `NSFetchRequestExpression` | `NSFRExpression`, `NSMOCExpression`, `NSCountOnlyFlag` | yes |
///
/// The keys of classes that no real file contains are our own choice. A key path has the selector
/// `valueForKey:` or `valueForKeyPath:` and one argument, an `NSKeyPathSpecifierExpression`. The
/// operand of a predefined function is the class `_NSPredicateUtilities`.
enum ExpressionArchiveReader {
  /// The class that implements the predefined functions.
  static let functionsClassName = "_NSPredicateUtilities"

  /// The expression at a key, if any.
  static func read(_ key: String, of object: ArchivedObject) throws(ModelArchiveError)
    -> NSExpression?
  {
    guard let expression = try object.object(key) else { return nil }
    return try read(expression)
  }

  static func read(_ object: ArchivedObject) throws(ModelArchiveError) -> NSExpression {
    if object.isKind(of: "NSFetchRequestExpression") { return try fetch(object) }
    return NSExpression(try node(of: object))
  }

  private static func fetch(_ object: ArchivedObject) throws(ModelArchiveError) -> NSExpression {
    NSFetchRequestExpression.expression(
      forFetch: try read(object.requiredObject("NSFRExpression")),
      context: try read(object.requiredObject("NSMOCExpression")),
      countOnly: try object.flag("NSCountOnlyFlag"))
  }

  private static func node(of object: ArchivedObject) throws(ModelArchiveError) -> ExpressionNode {
    // A key path expression is also a function expression, so test it first.
    if object.isKind(of: "NSKeyPathExpression") { return try keyPath(object) }
    if object.isKind(of: "NSFunctionExpression") { return try function(object) }
    if object.isKind(of: "NSConstantValueExpression") { return try constant(object) }
    if object.isKind(of: "NSSelfExpression") { return .evaluatedObject }
    if object.isKind(of: "NSVariableExpression") {
      return .variable(try object.requiredString("NSVariable"))
    }
    if object.isKind(of: "NSKeyPathSpecifierExpression") {
      return .keyPath(try specifiedPath(object))
    }
    if object.isKind(of: "NSAggregateExpression") {
      return .aggregate(try expressions("NSCollection", of: object))
    }
    if object.isKind(of: "NSSetExpression") { return try setOperation(object) }
    if object.isKind(of: "NSSubqueryExpression") { return try subquery(object) }
    if object.isKind(of: "NSTernaryExpression") { return try conditional(object) }
    if object.isKind(of: "NSAnyKeyExpression") { return .anyKey }
    throw object.error(.unknownClass, "\(object.className) is not an expression that can be read.")
  }

  private static func constant(_ object: ArchivedObject) throws(ModelArchiveError) -> ExpressionNode
  {
    guard object.fields["NSConstantValueClassName"] == nil else {
      throw object.error(
        .unknownClass, "A class can only be the operand of a function.",
        key: "NSConstantValueClassName")
    }
    return .constant(try object.value("NSConstantValue").decoded())
  }

  private static func keyPath(_ object: ArchivedObject) throws(ModelArchiveError) -> ExpressionNode
  {
    let operand = try read(object.requiredObject("NSOperand"))
    let arguments = try object.elements("NSArguments")
    guard arguments.count == 1,
      let specifier = arguments[0].object(of: "NSKeyPathSpecifierExpression")
    else {
      throw object.error(
        .contradiction,
        "A key path expression has one NSKeyPathSpecifierExpression as its argument.",
        key: "NSArguments")
    }
    let path = try specifiedPath(specifier)
    // An explicit call of `valueForKeyPath:` on SELF has the type 4, of a function.
    let isFunction = try object.integer("NSExpressionType") == 4
    if case .evaluatedObject = operand.node, !isFunction { return .keyPath(path) }
    return .function(
      operand: operand, name: "valueForKeyPath:", arguments: [NSExpression(.keyPath(path))])
  }

  private static func specifiedPath(_ object: ArchivedObject) throws(ModelArchiveError)
    -> PropertyPath
  {
    PropertyPath(try object.requiredString("NSKeyPath"))
  }

  private static func function(_ object: ArchivedObject) throws(ModelArchiveError) -> ExpressionNode
  {
    let operand = try object.requiredObject("NSOperand")
    let isKnownFunction = try operand.string("NSConstantValueClassName") == functionsClassName
    return .function(
      operand: isKnownFunction ? nil : try read(operand),
      name: try object.requiredString("NSSelectorName"),
      arguments: try expressions("NSArguments", of: object))
  }

  private static func expressions(
    _ key: String, of object: ArchivedObject
  ) throws(ModelArchiveError) -> [NSExpression] {
    var expressions: [NSExpression] = []
    for element in try object.elements(key) {
      guard case .object(let expression) = element else {
        throw object.error(.wrongKind, "The elements must be expressions.", key: key)
      }
      expressions.append(try read(expression))
    }
    return expressions
  }

  private static func setOperation(_ object: ArchivedObject) throws(ModelArchiveError)
    -> ExpressionNode
  {
    let left = try read(object.requiredObject("NSLeftExpression"))
    let right = try read(object.requiredObject("NSRightExpression"))
    switch try object.integer("NSExpressionType") {
    case 5: return .unionSet(left, right)
    case 6: return .intersectSet(left, right)
    case 7: return .minusSet(left, right)
    default:
      throw object.error(
        .contradiction, "A set expression has the type 5, 6 or 7.", key: "NSExpressionType")
    }
  }

  private static func subquery(_ object: ArchivedObject) throws(ModelArchiveError) -> ExpressionNode
  {
    .subquery(
      collection: try read(object.requiredObject("NSCollection")),
      variable: try object.requiredString("NSVariable"),
      predicate: try PredicateArchiveReader.read(object.requiredObject("NSPredicate")))
  }

  private static func conditional(_ object: ArchivedObject) throws(ModelArchiveError)
    -> ExpressionNode
  {
    .conditional(
      try PredicateArchiveReader.read(object.requiredObject("NSPredicate")),
      true: try read(object.requiredObject("NSTrueExpression")),
      false: try read(object.requiredObject("NSFalseExpression")))
  }
}
