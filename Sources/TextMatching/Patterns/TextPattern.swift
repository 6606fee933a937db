package import Foundation

/// One side of a string comparison, prepared once and compared with many texts.
///
/// This is the single meaning of `==`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` and `MATCHES`:
/// predicates in memory and the SQL functions of a store both ask it, so a fetch and a filter of
/// the same objects agree.
///
/// ```swift
/// let pattern = try TextPattern(.contains, "ecole", options: [.caseInsensitive, .diacriticInsensitive])
/// pattern.matches("École normale")  // true
/// ```
///
/// What it means:
/// - Without `[c]` or `[d]` texts are compared scalar by scalar, as `NSString.isEqual(_:)` and
///   SQLite's `=` and indexes do: `é` in one scalar differs from `é` in two. The same holds with
///   `[n]`.
/// - With `[c]` or `[d]` their folded forms are compared (``TextFolding``); canonically equivalent
///   texts are then equal.
/// - An empty pattern is found nowhere: `BEGINSWITH ""`, `ENDSWITH ""` and `CONTAINS ""` are false
///   for every text, as in Foundation and Core Data. `== ""`, `LIKE ""` and `MATCHES ""` are true
///   for the empty text. A pattern that folds to nothing counts as empty.
/// - `LIKE`: `*` is any run of scalars, newlines and none included; `?` is exactly one scalar of
///   the folded text; a backslash takes the special meaning from the scalar after it, and is itself
///   at the end of the pattern.
/// - `MATCHES`: the expression has to cover the whole text. `[c]` is ICU's case-insensitive flag;
///   `[d]` removes the diacritics from the expression and the text.
///
/// No operator but `MATCHES` takes longer than the product of the lengths of pattern and text;
/// without a `?` between other characters, no longer than their sum.
package struct TextPattern: Sendable {
  /// The operator it was made for.
  package let `operator`: TextOperator

  /// The pattern as it was given.
  package let pattern: String

  /// The options as they were given.
  package let options: TextOptions

  let folding: TextFolding
  let matcher: Matcher

  /// A prepared pattern.
  ///
  /// - Parameter locale: whose rules `[l]` means. It is not looked at without `[l]`.
  /// - Throws: when the pattern is too long, or is to be a regular expression and is none.
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

  /// Whether the text fits.
  package func matches(_ text: String) -> Bool {
    if case .expression(let expression) = matcher {
      return expression.covers(folding.fold(text))
    }
    var text = text
    return text.withUTF8 { unsafe matches(utf8: $0) }
  }

  /// Whether the text in the buffer fits; malformed UTF-8 is read as `String(decoding:as:)` reads
  /// it.
  ///
  /// No `String` is made where the text is ASCII or nothing is folded, except for `MATCHES`.
  package func matches(utf8 buffer: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe matches(utf8: buffer.span)
  }

  /// Whether the text in the span fits; malformed UTF-8 is read as `String(decoding:as:)` reads it.
  ///
  /// No `String` is made where the text is ASCII or nothing is folded, except for `MATCHES`.
  package func matches(utf8 text: Span<UInt8>) -> Bool {
    if case .expression(let expression) = matcher {
      return expression.covers(folding.fold(String(utf8: text)))
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
