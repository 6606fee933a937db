/// Why a format string is not a predicate or an expression.
///
/// Parhelion's addition.
///
/// Its description shows the place:
///
/// ```
/// line 1, column 7: expected a value, found the end of the text
/// age >
///      ^
/// ```
public struct PredicateParseError: Error, Hashable, Sendable {
  /// The kinds of mistake.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// A kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Something else stands where the grammar wants a part.
    public static let unexpectedToken = Code(rawValue: "unexpectedToken")
    /// A character that begins no token, or a string, number or placeholder that is not well formed.
    public static let malformedToken = Code(rawValue: "malformedToken")
    /// A function name that is not known, or a wrong number of arguments.
    public static let unknownFunction = Code(rawValue: "unknownFunction")
    /// A placeholder without an argument, or with one of another type.
    public static let badArgument = Code(rawValue: "badArgument")
    /// The text is too long or nests too deep.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// What is wrong.
  public let message: String
  /// What the grammar allows at the place, in words; empty where the mistake is not about the grammar.
  public let expected: String
  /// Where it is: characters from the start of the text.
  public let offset: Int
  /// The line, from 1.
  public let line: Int
  /// The character in the line, from 1.
  public let column: Int
  /// The line of the text, or the part of it around the place.
  public let excerpt: String
  /// How many characters of the excerpt stand before the place.
  let caret: Int

  init(code: Code, message: String, expected: String = "", text: String, byteOffset: Int) {
    let utf8 = text.utf8
    let place = utf8.index(utf8.startIndex, offsetBy: min(max(byteOffset, 0), utf8.count))
    let before = text[..<place.roundedDown(in: text)]
    let lineStart = before.lastIndex(where: \.isNewline).map { text.index(after: $0) } ?? text.startIndex
    let lineEnd = text[before.endIndex...].firstIndex(where: \.isNewline) ?? text.endIndex
    let column = text.distance(from: lineStart, to: before.endIndex)
    let shown = text[lineStart..<lineEnd]
    let skipped = max(0, column - Limits.excerptCharacters / 2)
    self.code = code
    self.message = message
    self.expected = expected
    offset = before.count
    line = before.count(where: \.isNewline) + 1
    self.column = column + 1
    excerpt = String(shown.dropFirst(skipped).prefix(Limits.excerptCharacters))
    caret = column - skipped
  }
}

extension PredicateParseError: CustomStringConvertible {
  /// The place, the mistake, and the line with a caret under the place.
  public var description: String {
    "line \(line), column \(column): \(message)\n\(excerpt)\n\(String(repeating: " ", count: caret))^"
  }
}

extension String.Index {
  /// The start of the character that the index lies in.
  fileprivate func roundedDown(in text: String) -> String.Index {
    self < text.endIndex ? text.rangeOfComposedCharacter(at: self) : text.endIndex
  }
}

extension String {
  fileprivate func rangeOfComposedCharacter(at index: String.Index) -> String.Index {
    let next = self.index(after: index)
    return self.index(before: next)
  }
}
