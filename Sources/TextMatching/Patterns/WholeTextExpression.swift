import Foundation

/// A regular expression in ICU's syntax that has to cover a whole text.
struct WholeTextExpression: Sendable {
  private let expression: NSRegularExpression

  /// - Parameter folding: what is to be removed from the expression, as it will be from the texts.
  init(_ pattern: String, options: TextOptions, folding: TextFolding) throws(TextPatternError) {
    let isCaseInsensitive = options.contains(.caseInsensitive) && !options.contains(.normalized)
    let flags: NSRegularExpression.Options = isCaseInsensitive ? .caseInsensitive : []
    guard let expression = Self.anchored(folding.fold(pattern), flags) else {
      throw Self.error(for: pattern, flags)
    }
    self.expression = expression
  }

  /// Whether the expression covers the whole text.
  func covers(_ text: String) -> Bool {
    let text = text as NSString
    return expression.firstMatch(
      in: text as String, range: NSRange(location: 0, length: text.length)) != nil
  }

  /// The expression, held to both ends of the text.
  ///
  /// It is wrapped in a group rather than compared with the range of a match, because the first
  /// match of `a|ab` in `ab` is shorter than the text. A comment or a quotation that is open at the
  /// end swallows the closing parenthesis: then a line break ends the comment, or `\E` the
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
    // An empty pattern is refused by NSRegularExpression, and means the empty text.
    pattern.isEmpty
      ? compile("(?:)", flags) : try? NSRegularExpression(pattern: pattern, options: flags)
  }

  private static func error(for pattern: String, _ flags: NSRegularExpression.Options)
    -> TextPatternError
  {
    let position = positionOfMistake(in: pattern, flags)
    let place = position.map { " after its first \($0) characters" } ?? ""
    return TextPatternError(
      code: .invalidRegularExpression,
      message:
        "MATCHES needs a regular expression in ICU's syntax; \"\(pattern)\" goes wrong\(place).",
      pattern: pattern, position: position)
  }

  /// How many scalars from the start make a regular expression, once the groups open there are
  /// closed.
  private static func positionOfMistake(in pattern: String, _ flags: NSRegularExpression.Options)
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
