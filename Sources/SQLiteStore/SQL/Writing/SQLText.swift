/// A piece of SQL with its parameters, in the order of their question marks.
///
/// Interpolation composes pieces: `"\(left) = \(right)"` has the text and the parameters of both.
struct SQLText: ExpressibleByStringInterpolation, Hashable {
  private(set) var text: String
  private(set) var parameters: [Parameter]

  init(stringLiteral value: String) {
    text = value
    parameters = []
  }

  init(stringInterpolation: Interpolation) {
    text = stringInterpolation.text
    parameters = stringInterpolation.parameters
  }

  init(_ text: String) { self.init(stringLiteral: text) }

  /// Whether the text contains a subselect, and not only a name such as `ZSELECTED`.
  var hasSubselect: Bool { text.contains(/\bSELECT\b/) }

  /// Creates a question mark for a parameter.
  init(_ parameter: Parameter) {
    text = "?"
    parameters = [parameter]
  }

  static func += (text: inout SQLText, other: SQLText) {
    text.text += other.text
    text.parameters += other.parameters
  }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var parameters: [Parameter] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ other: SQLText) {
      text += other.text
      parameters += other.parameters
    }

    /// A name of the schema.
    mutating func appendInterpolation(_ name: String) { text += name }

    /// A number.
    mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
  }
}

extension [SQLText] {
  /// The conditions joined by AND or OR, as one expression.
  ///
  /// SQLite parses a chain as a tree whose depth is the chain's length, and rejects deep ones, so a
  /// long chain is split into halves.
  func connected(by connective: String) -> SQLText {
    guard count > Limits.chainedConditions else { return "(\(joined(by: " \(connective) ")))" }
    let (one, other) = (Array(self[..<(count / 2)]), Array(self[(count / 2)...]))
    return "(\(one.connected(by: connective)) \(connective) \(other.connected(by: connective)))"
  }

  func joined(by separator: String) -> SQLText {
    var result: SQLText = ""
    for (index, part) in enumerated() {
      if index > 0 { result += SQLText(separator) }
      result += part
    }
    return result
  }
}
