import PredicateLanguage
import PropertyLists

/// Writes expressions in the form that `ExpressionArchiveReader` describes.
enum ExpressionArchiver {
  /// Adds an expression; nil is `$null`.
  static func add(
    _ expression: NSExpression?, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let expression else { return KeyedArchiveBuilder.null }
    var (className, fields) = try parts(of: expression, for: &builder, at: path)
    fields["NSExpressionType"] =
      fields["NSExpressionType"] ?? .integer(Int128(expression.expressionType.rawValue))
    return builder.add(className, fields)
  }

  private static func parts(
    of expression: NSExpression, for builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> (className: String, fields: [String: PropertyList]) {
    switch expression.node {
    case .constant(let value):
      return (
        "NSConstantValueExpression",
        ["NSConstantValue": try ValueArchiver.add(value, to: &builder, at: path)]
      )
    case .evaluatedObject: return ("NSSelfExpression", [:])
    case .variable(let name): return ("NSVariableExpression", ["NSVariable": builder.string(name)])
    case .keyPath(let keyPath):
      return keyPathParts(keyPath, of: addSelf(to: &builder), type: 3, for: &builder)
    case .function(let operand, let name, let arguments):
      if let (value, keyPath) = expression.node.keyPathOfOperand {
        return keyPathParts(
          keyPath, of: try add(value, to: &builder, at: path), type: 4, for: &builder)
      }
      return try functionParts(name, of: operand, arguments, for: &builder, at: path)
    case .unionSet(let left, let right), .intersectSet(let left, let right),
      .minusSet(let left, let right):
      let leftReference = try add(left, to: &builder, at: path)
      let rightReference = try add(right, to: &builder, at: path)
      return (
        "NSSetExpression", ["NSLeftExpression": leftReference, "NSRightExpression": rightReference]
      )
    case .aggregate(let elements):
      return (
        "NSAggregateExpression",
        ["NSCollection": builder.array(try addAll(elements, to: &builder, at: path))]
      )
    case .subquery(let collection, let variable, let predicate):
      let reference = try add(collection, to: &builder, at: path)
      let test = try PredicateArchiver.add(predicate, to: &builder, at: path)
      return (
        "NSSubqueryExpression",
        ["NSCollection": reference, "NSVariable": builder.string(variable), "NSPredicate": test]
      )
    case .conditional(let predicate, let whenTrue, let whenFalse):
      let test = try PredicateArchiver.add(predicate, to: &builder, at: path)
      let first = try add(whenTrue, to: &builder, at: path)
      let second = try add(whenFalse, to: &builder, at: path)
      return (
        "NSTernaryExpression",
        ["NSPredicate": test, "NSTrueExpression": first, "NSFalseExpression": second]
      )
    case .anyKey: return ("NSAnyKeyExpression", [:])
    case .fetch(let request, let context, let countOnly):
      let requestReference = try add(request, to: &builder, at: path)
      let contextReference = try add(context, to: &builder, at: path)
      return (
        "NSFetchRequestExpression",
        [
          "NSFRExpression": requestReference, "NSMOCExpression": contextReference,
          "NSCountOnlyFlag": .boolean(countOnly),
        ]
      )
    case .block, .custom:
      throw ModelArchiveError(
        .notArchivable,
        "A block or an expression of an application's own class has no archived form.", at: path)
    }
  }

  private static func addSelf(to builder: inout KeyedArchiveBuilder) -> PropertyList {
    builder.add("NSSelfExpression", ["NSExpressionType": .integer(1)])
  }

  private static func keyPathParts(
    _ keyPath: PropertyPath, of operand: PropertyList, type: Int,
    for builder: inout KeyedArchiveBuilder
  ) -> (className: String, fields: [String: PropertyList]) {
    let specifier = builder.add(
      "NSKeyPathSpecifierExpression",
      // 10 is a type without a public name.
      ["NSKeyPath": builder.string(keyPath.text), "NSExpressionType": .integer(10)])
    let isSingleKey = type == 3 && keyPath.components.count == 1
    return (
      "NSKeyPathExpression",
      [
        "NSOperand": operand,
        "NSSelectorName": builder.string(isSingleKey ? "valueForKey:" : "valueForKeyPath:"),
        "NSArguments": builder.array([specifier], className: "NSMutableArray"),
        "NSExpressionType": .integer(Int128(type)),
      ]
    )
  }

  private static func functionParts(
    _ name: String, of operand: NSExpression?, _ arguments: [NSExpression],
    for builder: inout KeyedArchiveBuilder,
    at path: ArchivePath
  ) throws(ModelArchiveError) -> (className: String, fields: [String: PropertyList]) {
    let target =
      if let operand {
        try add(operand, to: &builder, at: path)
      } else {
        addFunctionsClass(to: &builder)
      }
    let references = try addAll(arguments, to: &builder, at: path)
    return (
      "NSFunctionExpression",
      [
        "NSOperand": target, "NSSelectorName": builder.string(name),
        "NSArguments": builder.array(references),
      ]
    )
  }

  private static func addFunctionsClass(to builder: inout KeyedArchiveBuilder) -> PropertyList {
    let name = builder.string(ExpressionArchiveReader.functionsClassName)
    return builder.add(
      "NSConstantValueExpression",
      ["NSConstantValueClassName": name, "NSExpressionType": .integer(0)])
  }

  private static func addAll(
    _ expressions: [NSExpression], to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> [PropertyList] {
    var references: [PropertyList] = []
    for expression in expressions { references.append(try add(expression, to: &builder, at: path)) }
    return references
  }
}
