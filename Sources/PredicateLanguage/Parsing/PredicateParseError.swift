/// The error of a format string that is not a valid predicate or expression.
///
/// Parhelion's addition.
///
/// Its description shows the position:
///
/// ```
/// line 1, column 7: expected a value, found the end of the text
/// age >
///      ^
/// ```
public struct PredicateParseError: Error, Hashable, Sendable {
  /// The kinds of parse errors.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// Creates a code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A token is not allowed at its position.
    public static let unexpectedToken = Code(rawValue: "unexpectedToken")
    /// A character that begins no token, or a malformed string, number or placeholder.
    public static let malformedToken = Code(rawValue: "malformedToken")
    /// An unknown function, or a wrong number of arguments.
    public static let unknownFunction = Code(rawValue: "unknownFunction")
    /// A placeholder without an argument, or with an argument of the wrong type.
    public static let badArgument = Code(rawValue: "badArgument")
    /// The text is too long or nested too deeply.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
  }

  /// The error's data, behind a reference: the error passes through every level of the parser,
  /// which must use little stack.
  private let details: Details

  /// The kind of the error.
  public var code: Code { details.code }
  /// The message that describes the error.
  public var message: String { details.message }
  /// The tokens that the grammar allows at the position, in words; empty if the error is not about
  /// the grammar.
  public var expected: String { details.expected }
  /// The position, in characters from the start of the text.
  public var offset: Int { details.place.offset }
  /// The line, starting from 1.
  public var line: Int { details.place.line }
  /// The character in the line, starting from 1.
  public var column: Int { details.place.column }
  /// The line of the text, or the part of it around the position.
  public var excerpt: String { details.place.excerpt }

  init(code: Code, message: String, expected: String = "", text: String, byteOffset: Int) {
    details = Details(
      code: code, message: message, expected: expected,
      place: TextPosition(in: text, byteOffset: byteOffset))
  }

  private final class Details: Sendable {
    let code: Code
    let message: String
    let expected: String
    let place: TextPosition

    init(code: Code, message: String, expected: String, place: TextPosition) {
      self.code = code
      self.message = message
      self.expected = expected
      self.place = place
    }
  }

  /// Whether both errors have the same kind, message and position.
  public static func == (one: PredicateParseError, other: PredicateParseError) -> Bool {
    one.code == other.code && one.message == other.message
      && one.details.place == other.details.place
  }

  /// Feeds the kind and the message to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

extension PredicateParseError: CustomStringConvertible {
  /// The position, the message, and the line with a caret under the position.
  public var description: String {
    "line \(line), column \(column): \(message)\n\(excerpt)\n\(String(repeating: " ", count: details.place.caret))^"
  }
}
