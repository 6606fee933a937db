/// A word, literal or sign of a format string, and its position.
struct Token {
  enum Kind {
    /// A plain word: a keyword, a key, or a function's name.
    case word(String)
    /// `#word`: never a keyword.
    case escapedWord(String)
    /// A function's name with its colons: `add:to:`.
    case selector(String)
    /// A collection operator such as `@count`, with its sign.
    case collectionOperator(String)
    /// `@"a.key.path"`, with decoded escapes.
    case pathLiteral(String)
    case string(String)
    case number(NumberLiteral)
    /// `$name`, without the dollar sign.
    case variable(String)
    case placeholder(Placeholder)
    case sign(Sign)
    case end
  }

  /// Signs of one or two characters.
  enum Sign: String, CaseIterable {
    case power = "**"
    case equal = "=="
    case notEqual = "!="
    case lessGreater = "<>"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case and = "&&"
    case or = "||"
    case assign = "="
    case less = "<"
    case greater = ">"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case dot = "."
    case comma = ","
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
  }

  let kind: Kind
  /// The position, in bytes of UTF-8.
  let range: Range<Int>
}

extension Token {
  /// The token's name in an error message.
  var name: String {
    switch kind {
    case .word(let text), .selector(let text): "“\(text)”"
    case .escapedWord(let text): "“#\(text)”"
    case .collectionOperator(let text): "“\(text)”"
    case .pathLiteral: "a quoted key path"
    case .string: "a quoted string"
    case .number: "a number"
    case .variable(let name): "“$\(name)”"
    case .placeholder(let placeholder): "“\(placeholder.text)”"
    case .sign(let sign): "“\(sign.rawValue)”"
    case .end: "the end of the text"
    }
  }
}
