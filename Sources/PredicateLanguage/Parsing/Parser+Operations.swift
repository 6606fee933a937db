import Foundation

/// The operators between values, loosest first: set operations, sums, products, the unary minus, powers, then what
/// follows a value. `-2 ** 2` is `-(2 ** 2)`, and `**` groups from the right.
extension Parser {
  /// `set := sum (("UNION" | "INTERSECT" | "MINUS") sum)*`.
  mutating func readOperation() throws(PredicateParseError) -> Part {
    var left = try readSum()
    while let operation = setOperation {
      advance()
      let right = try readSum()
      left = .expression(
        operation(try expression(left), try expression(right)), height: try height(over: left.height, right.height),
        offset: left.offset)
    }
    return left
  }

  private var setOperation: ((NSExpression, NSExpression) -> ExpressionNode)? {
    switch keyword {
    case .union: { .unionSet($0, $1) }
    case .intersect: { .intersectSet($0, $1) }
    case .minus: { .minusSet($0, $1) }
    default: nil
    }
  }

  private mutating func readSum() throws(PredicateParseError) -> Part {
    var left = try readProduct()
    while let function = isAt(.plus) ? ArithmeticOperator.add : isAt(.minus) ? .subtract : nil {
      advance()
      left = try operation(function, left, try readProduct())
    }
    return left
  }

  private mutating func readProduct() throws(PredicateParseError) -> Part {
    var left = try readUnary()
    while let function = isAt(.times) ? ArithmeticOperator.multiply : isAt(.divide) ? .divide : nil {
      advance()
      left = try operation(function, left, try readUnary())
    }
    return left
  }

  private mutating func readUnary() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    guard take(.minus) else { return try readPower() }
    let operand = try nested { parser throws(PredicateParseError) in try parser.readUnary() }
    if case .constant(let value?) = try expression(operand).node, let number = Number(value) {
      return .expression(.constant(number.negated.boxed), height: operand.height, offset: offset)
    }
    let zero = Part.expression(.constant(0), height: 0, offset: offset)
    return try operation(.subtract, zero, operand)
  }

  private mutating func readPower() throws(PredicateParseError) -> Part {
    let base = try readPostfix()
    guard take(.power) else { return base }
    let exponent = try nested { parser throws(PredicateParseError) in try parser.readUnary() }
    return try operation(.power, base, exponent)
  }

  private func operation(
    _ function: ArithmeticOperator, _ left: Part, _ right: Part
  ) throws(PredicateParseError) -> Part {
    let arguments = [try expression(left), try expression(right)]
    return .expression(
      .function(operand: nil, name: function.rawValue, arguments: arguments),
      height: try height(over: left.height, right.height), offset: left.offset)
  }
}

// MARK: - What follows a value

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

  /// A key after a dot.
  ///
  /// Keywords are keys here, as nothing else can follow a dot.
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
    case .evaluatedObject: return .expression(.keyPath(try path(key, part.offset)), height: 1, offset: part.offset)
    case .keyPath(let path):
      return .expression(
        .keyPath(try self.path("\(path.text).\(key)", part.offset)), height: 1, offset: part.offset)
    case .function(let operand?, KeyPathFunction.name, let arguments):
      let path = arguments.first.flatMap(KeyPathFunction.path(of:)).map { "\($0).\(key)" } ?? key
      return .expression(
        KeyPathFunction.node(of: operand, path: try self.path(path, part.offset)), height: part.height,
        offset: part.offset)
    default:
      return .expression(
        KeyPathFunction.node(of: base, path: try path(key, part.offset)), height: try height(over: part.height),
        offset: part.offset)
    }
  }

  func path(_ text: String, _ offset: Int) throws(PredicateParseError) -> PropertyPath {
    let path = PropertyPath(text)
    guard path.components.count <= Limits.pathComponents else {
      throw error(.limitExceeded, "a key path has at most \(Limits.pathComponents) keys", at: offset)
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
        operand: nil, name: "objectFrom:withIndex:", arguments: [try expression(part), try expression(index)]),
      height: try height(over: part.height, index.height), offset: part.offset)
  }

  /// An operation one level deeper.
  mutating func readNestedOperation() throws(PredicateParseError) -> Part {
    try nested { parser throws(PredicateParseError) in try parser.readOperation() }
  }

  /// `[FIRST]`, `[LAST]` and `[SIZE]`.
  private mutating func readSymbolicIndex() throws(PredicateParseError) -> Part? {
    guard case .word(let word) = current.kind, isFollowed(by: .closeBracket),
      let symbol = SymbolicIndex(rawValue: word.lowercased())
    else { return nil }
    let offset = current.range.lowerBound
    advance()
    return .expression(.function(operand: nil, name: symbol.rawValue, arguments: []), height: 1, offset: offset)
  }
}
