package import Foundation

/// The pattern of a string comparison, prepared once and compared with many texts.
///
/// It defines `==`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` and `MATCHES`. Predicates in
/// memory and the SQL functions of a store use it, so a fetch and a filter of the same objects
/// agree.
///
/// ```swift
/// let pattern = try TextPattern(
///   .contains, "ecole", options: [.caseInsensitive, .diacriticInsensitive])
/// pattern.matches("École normale")  // true
/// ```
///
/// The rules:
/// - Without `[c]` or `[d]` texts are compared scalar by scalar, as `NSString.isEqual(_:)` and
///   SQLite's `=` and indexes do: `é` in one scalar differs from `é` in two. The same is true with
///   `[n]`.
/// - With `[c]` or `[d]` their folded forms are compared (``TextFolding``); canonically equivalent
///   texts are then equal.
/// - An empty pattern is never found: `BEGINSWITH ""`, `ENDSWITH ""` and `CONTAINS ""` are false
///   for every text, as in Foundation and Core Data. `== ""`, `LIKE ""` and `MATCHES ""` are true
///   for the empty text. A pattern that folds to nothing is empty.
/// - `LIKE`: `*` matches any scalars, including newlines and none; `?` matches exactly one scalar
///   of the folded text; a backslash escapes the scalar after it, and is literal at the end of the
///   pattern.
/// - `MATCHES`: the expression must match the whole text. `[c]` is ICU's case-insensitive flag;
///   `[d]` removes the diacritics from the expression and the text.
///
/// All operators except `MATCHES` take at most time proportional to the product of the lengths of
/// pattern and text. Without a `?` between other characters, the time is proportional to their sum.
package struct TextPattern: Sendable {
  /// The operator of the comparison.
  package let `operator`: TextOperator

  /// The pattern, before folding.
  package let pattern: String

  /// The options of the comparison.
  package let options: TextOptions

  let folding: TextFolding
  let matcher: Matcher

  /// Prepares a pattern.
  ///
  /// - Parameter locale: The locale of `[l]`, which is evaluated only with `[l]`.
  /// - Throws: ``TextPatternError`` if the pattern is too long or not a valid regular expression.
  package init(
    _ operator: TextOperator, _ pattern: String, options: TextOptions = [],
    locale: @autoclosure () -> Locale = .current
  ) throws(TextPatternError) {
    guard pattern.utf8.count <= Limits.patternBytes else { throw .tooLong(pattern) }
    self.operator = `operator`
    self.pattern = pattern
    self.options = options
    if `operator` == .matches {
      folding = TextFolding(options.subtracting(.caseInsensitive), locale: locale())
      matcher = .expression(try WholeTextExpression(pattern, options: options, folding: folding))
    } else {
      folding = TextFolding(options, locale: locale())
      matcher = Matcher(`operator`, pattern, folding: folding)
    }
  }

  /// Whether the text matches.
  package func matches(_ text: String) -> Bool {
    if case .expression(let expression) = matcher {
      return expression.matches(folding.fold(text))
    }
    var text = text
    return text.withUTF8 { unsafe matches(utf8: $0) }
  }

  /// Whether the text in the buffer matches, as in ``matches(utf8:)`` of a span.
  ///
  /// No `String` is created if the text is ASCII or nothing is folded, except for `MATCHES`.
  package func matches(utf8 buffer: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe matches(utf8: buffer.span)
  }

  /// Whether the text in the span matches.
  ///
  /// Malformed UTF-8 counts as replacement characters if the text is folded, and for `MATCHES`.
  /// Otherwise its bytes are compared.
  ///
  /// No `String` is created if the text is ASCII or nothing is folded, except for `MATCHES`.
  package func matches(utf8 text: Span<UInt8>) -> Bool {
    if case .expression(let expression) = matcher {
      return expression.matches(folding.fold(String(utf8: text)))
    }
    if folding.isIdentity { return matcher.matches(text) }
    if folding.keepsASCII, text.isASCII { return matchesASCII(text) }
    var folded = folding.fold(String(utf8: text))
    return folded.withUTF8 { unsafe matcher.matches($0.span) }
  }

  private func matchesASCII(_ text: Span<UInt8>) -> Bool {
    guard folding.options.contains(.caseInsensitive) else { return matcher.matches(text) }
    return matcher.canMatch(byteCount: text.count) && text.withLowercasedASCII(matcher.matches)
  }
}

extension TextPatternError {
  fileprivate static func tooLong(_ pattern: String) -> TextPatternError {
    TextPatternError(
      code: .patternTooLong,
      message:
        "The pattern has \(pattern.utf8.count) bytes; at most \(Limits.patternBytes) can be searched for.",
      pattern: pattern)
  }
}
