/// A token of Swift source, as the migration needs it.
struct Token: Sendable, Equatable {
  enum Kind: Sendable {
    /// A name or a keyword, without backticks.
    case word
    /// `#if`, `#keyPath` and all other words that start with a number sign.
    case directive
    case number
    /// A string literal, or the part of one before, between or after its interpolations.
    case string
    /// A regular expression literal.
    case regularExpression
    /// One byte of punctuation or of an operator.
    case punctuation
  }

  let kind: Kind
  /// The token's text; empty for string and regular expression literals, whose contents are
  /// ignored.
  let spelling: String
  /// The position, in UTF-8 bytes.
  let range: Range<Int>
  /// Whether it is the first token on its line.
  let startsLine: Bool
  /// Whether it is a name in backticks, which is never a keyword.
  let isQuoted: Bool
}
