import PredicateLanguage

extension QueryWriter {
  /// A function of the predicate language.
  func side(
    _ function: ExpressionFunction, _ arguments: [Operand], _ context: RowContext
  ) throws(TranslationError) -> Side {
    if function.takesCollection { return .value(try aggregate(function, arguments, context)) }
    if function == .noIndex, arguments.count == 1 {
      var value = try value(arguments[0], context)
      value.text = "+\(value.text)"
      value.isColumn = false
      return .value(value)
    }
    var values: [SQLValue] = []
    for argument in arguments { values.append(try value(argument, context)) }
    guard values.count == function.argumentCount else { throw function.refusal }
    return .value(try self.function(function, values))
  }

  private func function(_ function: ExpressionFunction, _ values: [SQLValue])
    throws(TranslationError) -> SQLValue
  {
    switch function {
    case .add, .subtract, .multiply, .divide: return try arithmetic(function, values)
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return try bits(function, values)
    case .uppercase, .lowercase, .canonical, .length: return try text(function, values[0])
    default: return try number(function, values)
    }
  }

  // MARK: Arithmetic

  private func arithmetic(_ function: ExpressionFunction, _ values: [SQLValue])
    throws(TranslationError) -> SQLValue
  {
    let (left, right) = (values[0], values[1])
    let kind = try ValueKind.result(of: function, left.kind, right.kind)
    let sign =
      switch function {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      default: "/"
      }
    // A column of decimals or dates may contain SQLite integers, whose quotient would be truncated.
    let isQuotient = function == .divide && !kind.isWhole
    let first: SQLText = isQuotient ? "CAST(\(left.text) AS REAL)" : left.text
    return SQLValue(text: "(\(first) \(sign) \(right.text))", kind: kind)
  }

  private func number(_ function: ExpressionFunction, _ values: [SQLValue]) throws(TranslationError)
    -> SQLValue
  {
    guard let name = function.numberFunction, values.allSatisfy({ $0.kind.isNumber }) else {
      throw function.refusal
    }
    return SQLValue(
      text: "\(name)(\(values.map(\.text).joined(by: ", ")))",
      kind: function.keepsKind ? values[0].kind : .double)
  }

  private func bits(_ function: ExpressionFunction, _ values: [SQLValue]) throws(TranslationError)
    -> SQLValue
  {
    guard values.allSatisfy({ $0.kind.isNumber }) else { throw function.refusal }
    let one = values[0].text
    let text: SQLText
    switch function {
    case .bitwiseAnd: text = "(\(one) & \(values[1].text))"
    case .bitwiseOr: text = "(\(one) | \(values[1].text))"
    case .bitwiseXor: text = "((\(one) | \(values[1].text)) - (\(one) & \(values[1].text)))"
    case .leftShift: text = "(\(one) << \(values[1].text))"
    case .rightShift: text = "(\(one) >> \(values[1].text))"
    default: text = "(~\(one))"
    }
    return SQLValue(text: text, kind: .integer(64))
  }

  private func text(_ function: ExpressionFunction, _ value: SQLValue) throws(TranslationError)
    -> SQLValue
  {
    guard value.kind.isText else { throw function.refusal }
    switch function {
    case .uppercase:
      return SQLValue(
        text: "\(Derivation.TextFunction.uppercase.sqlName)(\(value.text))", kind: .text)
    case .lowercase:
      return SQLValue(
        text: "\(Derivation.TextFunction.lowercase.sqlName)(\(value.text))", kind: .text)
    case .canonical:
      return SQLValue(
        text: "\(Derivation.TextFunction.canonical.sqlName)(\(value.text))", kind: .text)
    default: return SQLValue(text: "ParhelionLength(\(value.text))", kind: .integer(64))
    }
  }

  // MARK: Choices and conversions

  /// One of two values: `TERNARY(condition, first, second)`.
  func conditional(
    _ condition: Condition, _ first: Operand, _ second: Operand, _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    let test = try text(condition, context.optional)
    let values = (try value(first, context.optional), try value(second, context.optional))
    let kinds = (values.0.kind, values.1.kind)
    let kind =
      kinds.0.isNumber && kinds.1.isNumber && kinds.0 != .unknown && kinds.1 != .unknown
      ? ValueKind.wider(kinds.0, kinds.1) : kinds.0 == .unknown ? kinds.1 : kinds.0
    return SQLValue(
      text: "CASE WHEN \(test) THEN \(values.0.text) ELSE \(values.1.text) END", kind: kind)
  }

  /// `CAST(value, "type")`, if the stored form is that of the type, or if SQLite can convert it.
  func cast(_ operand: Operand, to type: String, _ context: RowContext) throws(TranslationError)
    -> SQLValue
  {
    let value = try value(operand, context)
    let text = value.text
    switch (type, value.kind) {
    case ("NSDate", let kind) where kind.isNumber || kind == .date:
      return SQLValue(text: text, kind: .date)
    case ("NSNumber", .date): return SQLValue(text: text, kind: .double)
    case ("NSDecimalNumber", let kind) where kind.isNumber:
      return SQLValue(text: text, kind: .decimal)
    case ("NSNumber", let kind) where kind.isNumber: return value
    case ("NSNumber", .text): return SQLValue(text: "CAST(\(text) AS NUMERIC)", kind: .double)
    case ("NSDecimalNumber", .text):
      return SQLValue(text: "CAST(\(text) AS NUMERIC)", kind: .decimal)
    case ("NSString", .text), ("String", .text), ("NSString", .url), ("String", .url):
      return SQLValue(text: text, kind: .text)
    case ("NSString", .integer), ("String", .integer):
      return SQLValue(text: "CAST(\(text) AS TEXT)", kind: .text)
    case ("NSURL", .url), ("NSURL", .text): return SQLValue(text: text, kind: .url)
    case ("NSUUID", .uuid), ("NSData", .data): return value
    default:
      throw .function(
        "castObject:toType: with the type \(type)",
        "Compare the attribute with a value of the same type.")
    }
  }
}

extension ExpressionFunction {
  var refusal: TranslationError {
    .function(
      "\(name) of these arguments",
      "SQL has no such function, or the arguments are of kinds that it does not take; compute it for fetched objects."
    )
  }

  /// The name of the SQL function; nil if this is not a function of numbers.
  fileprivate var numberFunction: String? {
    switch self {
    case .modulus: "ParhelionModulus"
    case .power: "ParhelionPower"
    case .squareRoot: "ParhelionSquareRoot"
    case .logarithm: "ParhelionLogarithm"
    case .naturalLogarithm: "ParhelionNaturalLogarithm"
    case .exponential: "ParhelionExponential"
    case .floor: "ParhelionFloor"
    case .ceiling: "ParhelionCeiling"
    case .truncate: "ParhelionTruncate"
    case .absolute: "ParhelionAbsolute"
    default: nil
    }
  }

  fileprivate var keepsKind: Bool {
    switch self {
    case .modulus, .power, .floor, .ceiling, .truncate, .absolute: true
    default: false
    }
  }
}

extension ValueKind {
  /// The kind of a sum, difference, product or quotient.
  fileprivate static func result(
    of function: ExpressionFunction, _ left: ValueKind, _ right: ValueKind
  ) throws(TranslationError) -> ValueKind {
    switch (left, right) {
    case (.date, .date) where function == .subtract: return .double
    case (.date, _) where right.isNumber && (function == .add || function == .subtract):
      return .date
    case (_, .date) where left.isNumber && function == .add: return .date
    case (_, _) where left.isNumber && right.isNumber: return .wider(left, right)
    default: throw function.refusal
    }
  }

  fileprivate static func wider(_ left: ValueKind, _ right: ValueKind) -> ValueKind {
    if left == .decimal || right == .decimal { return .decimal }
    let isWhole = left.isWhole && right.isWhole
    return isWhole ? .integer(64) : .double
  }

  /// Whether the values are whole numbers.
  var isWhole: Bool {
    switch self {
    case .integer, .boolean: true
    default: false
    }
  }
}
