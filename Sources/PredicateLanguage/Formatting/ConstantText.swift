import Foundation

/// Formats constants for a format string.
enum ConstantText {
  static func text(of value: Any?) -> String { text(of: Value(value)) }

  static func text(of value: Value) -> String {
    switch value {
    case .null: "nil"
    case .number(let number): text(of: number)
    case .string(let text): quoted(text)
    case .date(let date): "CAST(\(text(of: date.timeIntervalSinceReferenceDate)), \"NSDate\")"
    case .uuid(let uuid): "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
    case .url(let url): "CAST(\(quoted(url.absoluteString)), \"NSURL\")"
    case .data(let data): "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
    case .collection(let elements): text(of: elements)
    case .other(let value): "\(value)"
    }
  }

  /// The text of a collection.
  ///
  /// A set's elements are sorted by their texts, so that equal sets print the same.
  private static func text(of elements: Elements) -> String {
    let texts = elements.values.map { text(of: $0) }
    return "{\((elements.isSet ? texts.sorted() : texts).joined(separator: ", "))}"
  }

  /// The text of a date: with six decimals as on Apple's platforms, or more if the date needs them.
  private static func text(of interval: TimeInterval) -> String {
    guard interval.isFinite else { return text(of: .double(interval)) }
    let fixed = String(format: "%.6f", interval)
    return Double(fixed) == interval ? fixed : text(of: .double(interval))
  }

  private static func text(of number: Number) -> String {
    switch number {
    case .integer(let value): return "\(value)"
    case .unsigned(let value): return "\(value)"
    case .double(let value): return value.isFinite ? "\(value)" : "CAST(\"\(value)\", \"NSNumber\")"
    case .decimal(let value):
      let plain = value.description
      let isPlain = Int(plain) != nil || Double(plain)?.description == plain
      return isPlain ? plain : "CAST(\"\(plain)\", \"NSDecimalNumber\")"
    }
  }

  /// The text in double quotes, with escapes for characters that would not parse.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
