import Foundation

/// A regular expression in ICU's syntax that must match a whole text.
struct WholeTextExpression: Sendable {
  private let expression: NSRegularExpression

  /// Compiles a regular expression that has to match a whole text.
  ///
  /// - Parameter folding: The folding of the texts, which is also applied to the expression.
  init(_ pattern: String, options: TextOptions, folding: TextFolding) throws(TextPatternError) {
    let isCaseInsensitive = options.contains(.caseInsensitive) && !options.contains(.normalized)
    let flags: NSRegularExpression.Options = isCaseInsensitive ? .caseInsensitive : []
    guard let expression = Self.anchored(folding.fold(pattern), flags) else {
      throw Self.error(for: pattern, flags)
    }
    self.expression = expression
  }

  /// Whether the expression matches the whole text.
  func matches(_ text: String) -> Bool {
    let text = text as NSString
    return expression.firstMatch(
      in: text as String, range: NSRange(location: 0, length: text.length)) != nil
  }

  /// The expression, anchored at both ends of the text.
  ///
  /// It is wrapped in a group rather than compared with the range of a match, because the first
  /// match of `a|ab` in `ab` is shorter than the text. A comment or a quotation that is open at the
  /// end includes the closing parenthesis. Then a line break ends the comment, or `\E` the
  /// quotation.
  private static func anchored(_ pattern: String, _ flags: NSRegularExpression.Options)
    -> NSRegularExpression?
  {
    guard compile(pattern, flags) != nil else { return nil }
    for end in ["", "\n", "\\E"] {
      if let expression = compile("\\A(?:\(pattern)\(end))\\z", flags) { return expression }
    }
    return nil
  }

  private static func compile(_ pattern: String, _ flags: NSRegularExpression.Options)
    -> NSRegularExpression?
  {
    // NSRegularExpression rejects an empty pattern, which matches the empty text.
    pattern.isEmpty
      ? compile("(?:)", flags) : try? NSRegularExpression(pattern: pattern, options: flags)
  }

  private static func error(for pattern: String, _ flags: NSRegularExpression.Options)
    -> TextPatternError
  {
    let position = errorPosition(in: pattern, flags)
    let place = position.map { " after its first \($0) characters" } ?? ""
    return TextPatternError(
      code: .invalidRegularExpression,
      message:
        "MATCHES needs a regular expression in ICU's syntax; \"\(pattern)\" is not valid\(place).",
      pattern: pattern, position: position)
  }

  /// The number of leading scalars that form a regular expression once their open groups are
  /// closed.
  private static func errorPosition(in pattern: String, _ flags: NSRegularExpression.Options)
    -> Int?
  {
    let scalars = Array(pattern.unicodeScalars)
    guard scalars.count <= Limits.locatedExpressionScalars else { return nil }
    for count in stride(from: scalars.count, to: 0, by: -1) {
      var prefix = String.UnicodeScalarView()
      prefix.append(contentsOf: scalars[..<count])
      if compile(String(prefix) + closingBrackets(for: scalars[..<count]), flags) != nil {
        return count
      }
    }
    return 0
  }

  private static func closingBrackets(for scalars: ArraySlice<Unicode.Scalar>) -> String {
    var open: [Character] = []
    var isEscaped = false
    for scalar in scalars {
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "[" {
        open.append("]")
      } else if scalar == "(", open.last != "]" {
        open.append(")")
      } else if let last = open.last, last.unicodeScalars.first == scalar {
        open.removeLast()
      }
    }
    return String(open.reversed())
  }
}
