import Foundation

extension FormatPrinter {
  mutating func write(_ expression: NSExpression) {
    switch expression.node {
    case .constant(let value): write(ConstantText.text(of: value))
    case .evaluatedObject: write("SELF")
    case .variable(let name): write("$\(name)")
    case .keyPath(let path): write(KeyPathText.text(of: path))
    case .function(let operand?, let name, let arguments):
      write(operand, name, arguments, expression.node)
    case .function(nil, let name, let arguments): write(name, arguments)
    case .unionSet(let left, let right): write(left, "UNION", right)
    case .intersectSet(let left, let right): write(left, "INTERSECT", right)
    case .minusSet(let left, let right): write(left, "MINUS", right)
    case .subquery(let collection, let variable, let predicate):
      write("SUBQUERY(")
      write(collection)
      write(", $\(variable), ")
      write(predicate)
      write(")")
    case .aggregate(let elements): write(elements, "{", "}")
    case .anyKey: write("ANYKEY")
    case .block(_, let arguments): write(arguments, "BLOCK(", ")")
    case .conditional(let predicate, let first, let second):
      write("TERNARY(")
      write(predicate)
      write(", ")
      write([first, second], "", ")")
    case .fetch(let request, let context, let countOnly):
      write([request, context], "FETCH(", countOnly ? ", YES)" : ", NO)")
    case .custom(let type): write("<\(Swift.type(of: expression)) of type \(type)>")
    }
  }

  private mutating func write(_ expressions: [NSExpression], _ open: String, _ close: String) {
    write(open)
    for (index, expression) in expressions.enumerated() {
      if index > 0 { write(", ") }
      write(expression)
    }
    write(close)
  }

  /// Writes a set operation.
  ///
  /// Set operations group from the left, so a set operation on the right goes in parentheses.
  private mutating func write(_ left: NSExpression, _ word: String, _ right: NSExpression) {
    writeOperand(left, atLeast: .set)
    write(" \(word) ")
    writeOperand(right, atLeast: .sum)
  }
}

// MARK: - Functions

extension FormatPrinter {
  private mutating func write(_ name: String, _ arguments: [NSExpression]) {
    if let sign = ArithmeticOperator(rawValue: name), arguments.count == 2 {
      write(sign, arguments[0], arguments[1])
    } else if name == ExpressionFunction.objectWithIndex.name, arguments.count == 2 {
      writeOperand(arguments[0], atLeast: .postfix)
      write("[")
      write(index: arguments[1])
      write("]")
    } else if name == ExpressionFunction.cast.name, arguments.count == 2,
      case .constant(let type?) = arguments[1].node, asString(type) != nil
    {
      write(arguments, "CAST(", ")")
    } else {
      write(arguments, "\(name)(", ")")
    }
  }

  private mutating func write(index: NSExpression) {
    if case .function(nil, let name, _) = index.node, SymbolicIndex(rawValue: name) != nil {
      write(name.uppercased())
    } else {
      write(index)
    }
  }

  private mutating func write(
    _ sign: ArithmeticOperator, _ left: NSExpression, _ right: NSExpression
  ) {
    writeOperand(left, atLeast: sign.leftPrecedence)
    write(" \(sign.sign) ")
    writeOperand(right, atLeast: sign.rightPrecedence)
  }

  /// Writes a call on a value: a key path of it, or a method.
  private mutating func write(
    _ operand: NSExpression, _ name: String, _ arguments: [NSExpression], _ node: ExpressionNode
  ) {
    if let path = node.keyPathOfOperand?.path, operand.allowsTrailingKey {
      writeOperand(operand, atLeast: .postfix)
      write(".\(KeyPathText.text(of: path, follows: true))")
      return
    }
    write("FUNCTION(")
    write(operand)
    write(", \(ConstantText.quoted(name))")
    for argument in arguments {
      write(", ")
      write(argument)
    }
    write(")")
  }
}

extension NSExpression {
  /// Whether a dot and a key after the expression's text parse as a key path of the expression.
  ///
  /// After SELF or a key path, the parser reads both as one key path.
  fileprivate var allowsTrailingKey: Bool {
    switch node {
    case .evaluatedObject, .keyPath: false
    case .constant(let value?): asString(value) != nil
    case .function: node.keyPathOfOperand == nil
    case .constant, .block, .custom: false
    default: true
    }
  }
}

// MARK: - Precedence

extension FormatPrinter {
  /// The precedence of an expression's text, from the loosest binding to the tightest.
  enum Precedence: Int, Comparable {
    case set, sum, product, unary, power, postfix

    static func < (one: Precedence, other: Precedence) -> Bool { one.rawValue < other.rawValue }
  }

  private mutating func writeOperand(_ expression: NSExpression, atLeast needed: Precedence) {
    guard expression.precedence < needed else { return write(expression) }
    write("(")
    write(expression)
    write(")")
  }
}

extension NSExpression {
  fileprivate var precedence: FormatPrinter.Precedence {
    switch node {
    case .unionSet, .intersectSet, .minusSet: return .set
    case .function(nil, let name, let arguments) where arguments.count == 2:
      return ArithmeticOperator(rawValue: name)?.precedence ?? .postfix
    case .constant(let value?):
      guard let number = Number(value), number.double < 0 || number.double.sign == .minus else {
        return .postfix
      }
      return .unary
    default: return .postfix
    }
  }
}

extension ArithmeticOperator {
  fileprivate var precedence: FormatPrinter.Precedence {
    switch self {
    case .add, .subtract: .sum
    case .multiply, .divide: .product
    case .power: .power
    }
  }

  fileprivate var leftPrecedence: FormatPrinter.Precedence {
    switch self {
    case .add, .subtract: .sum
    case .multiply, .divide: .product
    case .power: .postfix
    }
  }

  fileprivate var rightPrecedence: FormatPrinter.Precedence {
    switch self {
    case .add, .subtract: .product
    case .multiply, .divide: .unary
    case .power: .unary
    }
  }
}
