import Foundation

extension Parser {
  /// Reads a name and its arguments in parentheses: a construct in capitals, or a predefined
  /// function.
  mutating func readFunction() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    switch current.kind {
    case .selector(let name):
      advance()
      return try readKnownFunction(name, offset)
    case .word(let name):
      advance()
      switch name.uppercased() {
      case "SUBQUERY": return try readSubquery(offset)
      case "FUNCTION": return try readMethodCall(offset)
      case "CAST": return try readCast(offset)
      case "TERNARY": return try readConditional(offset)
      case "FETCH": return try readFetch(offset)
      default: return try readKnownFunction(name, offset)
      }
    default: throw unexpected("a function")
    }
  }

  /// `name(a, b)` or `first:second:(a, b)`.
  private mutating func readKnownFunction(_ name: String, _ offset: Int) throws(PredicateParseError)
    -> Part
  {
    try expect(.openParenthesis, "after the function’s name")
    let arguments = try readArguments()
    guard let function = ExpressionFunction(written: name, argumentCount: arguments.values.count)
    else {
      throw error(
        .unknownFunction, ExpressionFunction.mismatchMessage(for: name, arguments.values.count),
        at: offset)
    }
    return .expression(
      .function(operand: nil, name: function.name, arguments: arguments.values),
      height: try height(over: arguments.height), offset: offset)
  }

  /// Reads the expressions up to and including the closing parenthesis.
  private mutating func readArguments(
    isFirst: Bool = true
  ) throws(PredicateParseError) -> (values: [NSExpression], height: Int) {
    var values: [NSExpression] = []
    var tallest = 0
    while !isAt(.closeParenthesis) {
      if !isFirst || !values.isEmpty { try expect(.comma, "or “)” after an argument") }
      let argument = try readArgument()
      values.append(try expression(argument))
      tallest = max(tallest, argument.height)
    }
    advance()
    return (values, tallest)
  }

  private mutating func readArgument() throws(PredicateParseError) -> Part {
    try readNestedOperation()
  }

  /// `SUBQUERY(collection, $variable, predicate)`.
  private mutating func readSubquery(_ offset: Int) throws(PredicateParseError) -> Part {
    try expect(.openParenthesis, "after SUBQUERY")
    let collection = try readArgument()
    let collectionExpression = try expression(collection)
    try expect(.comma, "after the collection")
    guard case .variable(let variable) = current.kind else {
      throw unexpected("the variable, such as $x")
    }
    advance()
    try expect(.comma, "after the variable")
    let condition = try readPart()
    let predicate = try predicate(condition)
    try expect(.closeParenthesis, "to close SUBQUERY")
    return .expression(
      .subquery(collection: collectionExpression, variable: variable, predicate: predicate),
      height: try height(over: collection.height, condition.height), offset: offset)
  }

  /// `FUNCTION(operand, "selector:", argument, …)`.
  private mutating func readMethodCall(_ offset: Int) throws(PredicateParseError) -> Part {
    try expect(.openParenthesis, "after FUNCTION")
    let operand = try readArgument()
    let target = try expression(operand)
    try expect(.comma, "after the operand")
    guard case .string(let selector) = current.kind else {
      throw unexpected("the selector’s name in quotes")
    }
    advance()
    let arguments = try readArguments(isFirst: false)
    return .expression(
      .function(operand: target, name: selector, arguments: arguments.values),
      height: try height(over: operand.height, arguments.height), offset: offset)
  }

  /// `CAST(value, "Type")`.
  ///
  /// A cast of a literal becomes a constant.
  private mutating func readCast(_ offset: Int) throws(PredicateParseError) -> Part {
    try expect(.openParenthesis, "after CAST")
    let value = try readArgument()
    let expression = try expression(value)
    try expect(.comma, "after the value")
    guard case .string(let type) = current.kind else {
      throw unexpected("the type’s name in quotes, such as \"NSDate\"")
    }
    advance()
    try expect(.closeParenthesis, "to close CAST")
    return .expression(
      CastFunction.node(casting: expression, to: type), height: try height(over: value.height),
      offset: offset)
  }

  /// `FETCH(request, context, countOnly)`.
  private mutating func readFetch(_ offset: Int) throws(PredicateParseError) -> Part {
    try expect(.openParenthesis, "after FETCH")
    let request = try readArgument()
    let requestExpression = try expression(request)
    try expect(.comma, "after the fetch request")
    let context = try readArgument()
    let contextExpression = try expression(context)
    try expect(.comma, "after the context")
    let flagOffset = current.range.lowerBound
    guard case .constant(let value?) = try expression(readArgument()).node,
      let flag = Number(value)
    else {
      throw error(
        .unexpectedToken, "expected YES or NO: whether only the number of results is wanted",
        at: flagOffset)
    }
    try expect(.closeParenthesis, "to close FETCH")
    return .expression(
      NSFetchRequestExpression(
        request: requestExpression, context: contextExpression,
        isCountOnlyRequest: flag.double != 0),
      height: try height(over: request.height, context.height), offset: offset)
  }

  /// `TERNARY(predicate, a, b)`.
  private mutating func readConditional(_ offset: Int) throws(PredicateParseError) -> Part {
    try expect(.openParenthesis, "after TERNARY")
    let condition = try readPart()
    let predicate = try predicate(condition)
    try expect(.comma, "after the predicate")
    let first = try readArgument()
    let firstExpression = try expression(first)
    try expect(.comma, "after the first value")
    let second = try readArgument()
    let secondExpression = try expression(second)
    try expect(.closeParenthesis, "to close TERNARY")
    return .expression(
      .conditional(predicate, true: firstExpression, false: secondExpression),
      height: try height(over: condition.height, first.height, second.height), offset: offset)
  }
}
