import Foundation

/// Formats the parts of a JSON text, so that a dump of any size needs the memory of one row.
enum JSONText {
  static func string(_ text: String) -> String {
    var result = "\""
    result.reserveCapacity(text.utf8.count + 2)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..<" ": result += "\\u" + String(scalar.value + 0x1_0000, radix: 16).dropFirst()
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A number, or null if JSON cannot represent it.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 {
      return value.sign == .minus && whole == 0 ? "0" : "\(whole)"
    }
    return "\(value)"
  }

  static func object(_ members: [(key: String, value: String)]) -> String {
    "{\(members.map { "\(string($0.key)): \($0.value)" }.joined(separator: ", "))}"
  }

  static func array(_ elements: [String]) -> String { "[\(elements.joined(separator: ", "))]" }
}
