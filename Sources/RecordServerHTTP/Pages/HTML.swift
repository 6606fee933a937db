/// A fragment of HTML.
///
/// Interpolated texts are escaped, so they cannot become markup:
///
///     let line: HTML = "<p>\(userInput)</p>"
struct HTML: ExpressibleByStringInterpolation, Sendable {
  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  static func + (one: HTML, other: HTML) -> HTML { "\(one)\(other)" }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ html: HTML) { text += html.text }

    mutating func appendInterpolation(_ value: String) {
      for character in value.unicodeScalars {
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(character)
        }
      }
    }
  }

  typealias StringInterpolation = Interpolation
}
