/// Formats key paths for a format string.
enum KeyPathText {
  /// The text of the path.
  ///
  /// Keys that are keywords get a `#`; a path with special characters is quoted.
  ///
  /// - Parameter follows: Whether the path is after a dot, where no key is parsed as a keyword.
  static func text(of path: PropertyPath, follows: Bool = false) -> String {
    guard path.components.allSatisfy(isPlain) else {
      return "@" + ConstantText.quoted(path.components.map(escapedInQuotes).joined(separator: "."))
    }
    return path.components.enumerated()
      .map { $0 > 0 || follows ? $1 : escaped($1) }
      .joined(separator: ".")
  }

  private static func escaped(_ key: String) -> String {
    Keyword(word: key) == nil && !otherReservedWords.contains(key.uppercased()) ? key : "#\(key)"
  }

  /// A key inside quotes.
  ///
  /// The parser removes a first `#`, so a key that begins with it gets a second.
  private static func escapedInQuotes(_ key: String) -> String {
    key.first == "#" ? "#\(key)" : key
  }

  /// Whether the lexer reads the key as one word or collection operator.
  private static func isPlain(_ key: String) -> Bool {
    let bytes = key.first == "@" ? Array(key.utf8.dropFirst()) : Array(key.utf8)
    guard let first = bytes.first, first.startsWord else { return false }
    return bytes.allSatisfy(\.continuesWord)
  }
}
