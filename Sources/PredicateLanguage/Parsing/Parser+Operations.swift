import Foundation

/// The operators between values, from the loosest binding: set operations, sums, products, the
/// unary minus, powers, postfix operators. `-2 ** 2` is `-(2 ** 2)`, and `**` groups from the
/// right.
extension Parser {
  /// Reads values and the operators between them that bind more tightly than a bound.
  mutating func readOperation(above bound: Precedence = .none) throws(PredicateParseError) -> Part {
    var left = try readUnary()
    while let operation = operationAtPosition, operation.precedence > bound {
      _ = try expression(left)
      advance()
      let right =
        operation == .arithmetic(.power)
        ? try readExponent() : try readOperation(above: operation.precedence)
      left = try apply(operation, left, right)
    }
    return left
  }

  /// Reads the operand of `**`.
  ///
  /// Powers group from the right, so the exponent includes a following power.
  private mutating func readExponent() throws(PredicateParseError) -> Part {
    try enter()
    defer { leave() }
    return try readOperation(above: .unary)
  }

  /// Reads an operation one level deeper.
  mutating func readNestedOperation() throws(PredicateParseError) -> Part {
    try enter()
    defer { leave() }
    return try readOperation()
  }

  /// Reads a value with the minus signs before it.
  ///
  /// A minus sign binds less tightly than a power, so its operand includes the power.
  private mutating func readUnary() throws(PredicateParseError) -> Part {
    guard isAt(.minus) else { return try readPostfix() }
    let offset = current.range.lowerBound
    advance()
    try enter()
    let operand = try readOperation(above: .unary)
    leave()
    return try negate(operand, offset)
  }

  private func negate(_ operand: Part, _ offset: Int) throws(PredicateParseError) -> Part {
    if case .constant(let value?) = try expression(operand).node, let number = Number(value) {
      return .expression(.constant(number.negated.boxed), height: operand.height, offset: offset)
    }
    return try apply(
      .arithmetic(.subtract), .expression(.constant(0), height: 0, offset: offset), operand)
  }
}

// MARK: - Operators

extension Parser {
  /// The precedence of operators, from the loosest binding to the tightest.
  enum Precedence: Int, Comparable {
    case none, set, sum, product, unary, power

    static func < (one: Precedence, other: Precedence) -> Bool { one.rawValue < other.rawValue }
  }

  private enum Operation: Equatable {
    case union, intersect, minus
    case arithmetic(ArithmeticOperator)

    var precedence: Precedence {
      switch self {
      case .union, .intersect, .minus: .set
      case .arithmetic(.add), .arithmetic(.subtract): .sum
      case .arithmetic(.multiply), .arithmetic(.divide): .product
      case .arithmetic(.power): .power
      }
    }
  }

  private var operationAtPosition: Operation? {
    switch current.kind {
    case .sign(.plus): .arithmetic(.add)
    case .sign(.minus): .arithmetic(.subtract)
    case .sign(.times): .arithmetic(.multiply)
    case .sign(.divide): .arithmetic(.divide)
    case .sign(.power): .arithmetic(.power)
    case .word:
      switch keyword {
      case .union: .union
      case .intersect: .intersect
      case .minus: .minus
      default: nil
      }
    default: nil
    }
  }

  private func apply(_ operation: Operation, _ left: Part, _ right: Part)
    throws(PredicateParseError) -> Part
  {
    let (first, second) = (try expression(left), try expression(right))
    let node: ExpressionNode =
      switch operation {
      case .union: .unionSet(first, second)
      case .intersect: .intersectSet(first, second)
      case .minus: .minusSet(first, second)
      case .arithmetic(let function):
        .function(operand: nil, name: function.rawValue, arguments: [first, second])
      }
    return .expression(
      node, height: try height(over: left.height, right.height), offset: left.offset)
  }
}

// MARK: - Postfix operators

extension Parser {
  /// `postfix := primary ("." key | "[" index "]")*`.
  private mutating func readPostfix() throws(PredicateParseError) -> Part {
    var part = try readPrimary()
    while true {
      if take(.dot) {
        part = try appending(try readKey(), to: part)
      } else if isAt(.openBracket), case .expression = part.content {
        part = try readIndex(of: part)
      } else {
        return part
      }
    }
  }

  /// Reads a key after a dot, where a keyword is a key too.
  private mutating func readKey() throws(PredicateParseError) -> String {
    switch current.kind {
    case .word(let key), .escapedWord(let key), .collectionOperator(let key), .pathLiteral(let key):
      advance()
      return key
    case .placeholder(let placeholder) where placeholder.conversion == .keyPath:
      return try takeArgument(placeholder) as? String ?? ""
    default:
      throw unexpected("a key after the dot")
    }
  }

  private func appending(_ key: String, to part: Part) throws(PredicateParseError) -> Part {
    let base = try expression(part)
    switch base.node {
    case .evaluatedObject:
      return .expression(.keyPath(try path(key, part.offset)), height: 1, offset: part.offset)
    case .keyPath(let path):
      return .expression(
        .keyPath(try self.path("\(path.text).\(key)", part.offset)), height: 1, offset: part.offset)
    case .function(let operand?, KeyPathFunction.name, let arguments):
      let path = arguments.first.flatMap(KeyPathFunction.path(of:)).map { "\($0).\(key)" } ?? key
      return .expression(
        KeyPathFunction.node(of: operand, path: try self.path(path, part.offset)),
        height: part.height,
        offset: part.offset)
    default:
      return .expression(
        KeyPathFunction.node(of: base, path: try path(key, part.offset)),
        height: try height(over: part.height),
        offset: part.offset)
    }
  }

  func path(_ text: String, _ offset: Int) throws(PredicateParseError) -> PropertyPath {
    let path = PropertyPath(text)
    guard path.components.count <= Limits.pathComponents else {
      throw error(
        .limitExceeded, "a key path has at most \(Limits.pathComponents) keys", at: offset)
    }
    guard !path.components.contains("") else {
      throw error(.badArgument, "the key path “\(text)” has an empty key", at: offset)
    }
    return path
  }

  private mutating func readIndex(of part: Part) throws(PredicateParseError) -> Part {
    advance()
    let symbol = try readSymbolicIndex()
    let index = if let symbol { symbol } else { try readNestedOperation() }
    try expect(.closeBracket, "after the index")
    return .expression(
      .function(
        operand: nil, name: "objectFrom:withIndex:",
        arguments: [try expression(part), try expression(index)]),
      height: try height(over: part.height, index.height), offset: part.offset)
  }

  /// `[FIRST]`, `[LAST]` and `[SIZE]`.
  private mutating func readSymbolicIndex() throws(PredicateParseError) -> Part? {
    guard case .word(let word) = current.kind, isFollowed(by: .closeBracket),
      let symbol = SymbolicIndex(rawValue: word.lowercased())
    else { return nil }
    let offset = current.range.lowerBound
    advance()
    return .expression(
      .function(operand: nil, name: symbol.rawValue, arguments: []), height: 1, offset: offset)
  }
}
