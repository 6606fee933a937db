/// Escapes and checks names in Swift source text.
enum SwiftName {
  /// Returns the name, in backticks if it is a reserved word.
  static func escaped(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

  /// Returns the name without backticks.
  static func unescaped(_ name: String) -> String {
    name.hasPrefix("`") && name.hasSuffix("`") && name.count > 2
      ? String(name.dropFirst().dropLast()) : name
  }

  /// Whether the text is a valid identifier.
  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    let isHead = { (scalar: Unicode.Scalar) in scalar == "_" || scalar.properties.isXIDStart }
    return isHead(first)
      && text.unicodeScalars.dropFirst().allSatisfy { isHead($0) || $0.properties.isXIDContinue }
  }

  /// The words that need backticks as a member's name.
  private static let reserved: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
    "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
    "while",
  ]
}
