/// Key paths as a format string writes them.
enum KeyPathText {
  /// The path; keys that are keywords get a `#`, and a path with other signs in a key is quoted.
  ///
  /// - Parameter follows: Whether the path stands behind a dot, where no key is read as a keyword.
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

  /// A key inside quotes loses a first `#`, so one that begins with it gets a second.
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
