/// A token of a schema's text.
enum SchemaToken: Hashable, Sendable {
  /// A keyword or a name.
  case word(String)
  /// A name in double quotes.
  case quoted(String)
  /// One of `( ) < > , ;`.
  case sign(Character)
  case end

  /// The token in error messages.
  var name: String {
    switch self {
    case .word(let word):
      word.count > Self.longestReportedWord ? "\(word.prefix(Self.longestReportedWord))…" : word
    case .quoted(let name): "\"\(name.prefix(Self.longestReportedWord))\""
    case .sign(let sign): "'\(sign)'"
    case .end: "the end of the text"
    }
  }

  /// The maximum number of characters of a word in error messages.
  static let longestReportedWord = 60
}

/// A token and its position.
struct LocatedToken: Sendable {
  let token: SchemaToken
  let position: TextPosition
}
