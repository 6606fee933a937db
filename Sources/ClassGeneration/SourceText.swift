/// Swift source text under construction, with its indentation.
struct SourceText {
  private(set) var text = ""
  private var depth = 0

  mutating func line(_ line: String = "") {
    text += line.isEmpty ? "\n" : String(repeating: "  ", count: depth) + line + "\n"
  }

  mutating func block(_ head: String, _ body: (inout SourceText) -> Void) {
    line(head.isEmpty ? "{" : head + " {")
    depth += 1
    body(&self)
    depth -= 1
    line("}")
  }

  /// Writes lines between `#if` and `#endif`, or only the lines if there is no condition.
  mutating func compiled(if conditions: [String], _ body: (inout SourceText) -> Void) {
    guard !conditions.isEmpty else { return body(&self) }
    line("#if " + conditions.map { "(\($0))" }.joined(separator: " && "))
    body(&self)
    line("#endif")
  }

  /// Returns the text as a string literal.
  static func literal(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      case _ where scalar.value < 0x20: escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }

  /// Returns the arguments with which an accessor names its property: the ordinal, if it is known,
  /// and the name.
  static func accessKey(_ name: String, ordinal: Int?) -> String {
    let key = literal(name)
    return ordinal.map { "\($0), \(key)" } ?? key
  }
}
