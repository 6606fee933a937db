/// A token of Swift source text, as the declaration scanner needs it.
struct SourceToken: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// A name or keyword, without backticks.
    case word
    /// A name in backticks: never a keyword.
    case escapedWord
    /// One punctuation character.
    case punctuation
    /// A string, number or regular expression: opaque.
    case literal
    /// `#if`, `#elseif`, `#else` or `#endif`; the text is the condition.
    case directive(Directive)
    /// The text after `// modelc:`.
    case annotation
  }

  enum Directive: String, Sendable {
    case `if`, `elseif`, `else`, `endif`
  }

  var kind: Kind
  var text: String
  var line: Int
  /// Whether this is the first token of its line.
  var startsLine: Bool

  func isWord(_ word: String) -> Bool { kind == .word && text == word }
  func isPunctuation(_ character: String) -> Bool { kind == .punctuation && text == character }
  var isName: Bool { kind == .word || kind == .escapedWord }
}
