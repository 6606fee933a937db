import Foundation

/// The conversions of `CAST`: between text, numbers, dates, and the values that have a text form.
enum CastFunction {
  /// The expression for a cast: a constant for a cast of a literal, else a function call.
  static func node(casting expression: NSExpression, to type: String) -> ExpressionNode {
    if case .constant(let constant?) = expression.node, let result = value(constant, as: type) {
      return .constant(result)
    }
    return .function(
      operand: nil, name: ExpressionFunction.cast.name,
      arguments: [expression, NSExpression(forConstantValue: type)])
  }

  /// Converts the value to the type, if possible.
  static func value(_ value: Any, as type: String) -> Any? {
    let value = Value(value)
    switch type {
    case "NSString", "String": return text(value)
    case "NSNumber": return number(value)
    case "NSDecimalNumber": return decimal(value).map(NSDecimalNumber.init(decimal:))
    case "NSDate": return date(value)
    case "NSUUID": return uuid(value)
    case "NSURL": return url(value)
    case "NSData": return data(value)
    default: return nil
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .number(let number): "\(number.boxed)"
    case .date(let date): text(date)
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// A date as Foundation describes it, or as its seconds if it is 10¹² or more seconds from 2001.
  private static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    return seconds.magnitude < 1e12 ? date.description : "\(seconds)"
  }

  private static func number(_ value: Value) -> Any? {
    switch value {
    case .number(let number): return number.boxed
    case .date(let date): return date.timeIntervalSinceReferenceDate
    case .string(let text):
      if let whole = Int(text) { return whole }
      return UInt64(text).map { $0 as Any } ?? Double(text)
    default: return nil
    }
  }

  private static func decimal(_ value: Value) -> Decimal? {
    switch value {
    case .number(let number): return number.decimal
    case .string("NaN"): return Decimal.nan
    case .string(let text): return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    default: return nil
    }
  }

  private static func date(_ value: Value) -> Date? {
    switch value {
    case .date(let date): date
    case .number(let number): Date(timeIntervalSinceReferenceDate: number.double)
    default: nil
    }
  }

  private static func uuid(_ value: Value) -> UUID? {
    switch value {
    case .uuid(let uuid): uuid
    case .string(let text): UUID(uuidString: text)
    default: nil
    }
  }

  private static func url(_ value: Value) -> URL? {
    switch value {
    case .url(let url): url
    case .string(let text): URL(string: text)
    default: nil
    }
  }

  private static func data(_ value: Value) -> Data? {
    switch value {
    case .data(let data): data
    case .string(let text): Data(base64Encoded: text)
    default: nil
    }
  }
}
