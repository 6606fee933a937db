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
    /// A character that begins no token, or a string, number or placeholder that is not well
    /// formed.
    public static let malformedToken = Code(rawValue: "malformedToken")
    /// A function name that is not known, or a wrong number of arguments.
    public static let unknownFunction = Code(rawValue: "unknownFunction")
    /// A placeholder without an argument, or with one of another type.
    public static let badArgument = Code(rawValue: "badArgument")
    /// The text is too long or nests too deep.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
  }

  /// The parts, behind a reference: an error travels through every level of the parser, whose stack
  /// has to stay small.
  private let details: Details

  /// What kind of mistake it is.
  public var code: Code { details.code }
  /// What is wrong.
  public var message: String { details.message }
  /// What the grammar allows at the place, in words; empty where the mistake is not about the
  /// grammar.
  public var expected: String { details.expected }
  /// Where it is: characters from the start of the text.
  public var offset: Int { details.place.offset }
  /// The line, from 1.
  public var line: Int { details.place.line }
  /// The character in the line, from 1.
  public var column: Int { details.place.column }
  /// The line of the text, or the part of it around the place.
  public var excerpt: String { details.place.excerpt }

  init(code: Code, message: String, expected: String = "", text: String, byteOffset: Int) {
    details = Details(
      code: code, message: message, expected: expected,
      place: TextPlace(in: text, byteOffset: byteOffset))
  }

  private final class Details: Sendable {
    let code: Code
    let message: String
    let expected: String
    let place: TextPlace

    init(code: Code, message: String, expected: String, place: TextPlace) {
      self.code = code
      self.message = message
      self.expected = expected
      self.place = place
    }
  }

  /// Whether both say the same about the same place.
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
  /// The place, the mistake, and the line with a caret under the place.
  public var description: String {
    "line \(line), column \(column): \(message)\n\(excerpt)\n\(String(repeating: " ", count: details.place.caret))^"
  }
}
