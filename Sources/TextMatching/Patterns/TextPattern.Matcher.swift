extension TextPattern {
  /// The match of a text that is already folded.
  enum Matcher: Sendable {
    case never
    case equal([UInt8])
    case prefix([UInt8])
    case suffix([UInt8])
    case infix(Needle)
    case wildcards(Wildcards)
    case expression(WholeTextExpression)

    /// The matcher of every operator except `matches`.
    init(_ operator: TextOperator, _ pattern: String, folding: TextFolding) {
      let folded = Array(folding.fold(pattern).utf8)
      self =
        switch `operator` {
        case .equal: .equal(folded)
        case .beginsWith: folded.isEmpty ? .never : .prefix(folded)
        case .endsWith: folded.isEmpty ? .never : .suffix(folded)
        case .contains: folded.isEmpty ? .never : .infix(Needle(folded))
        case .like: .wildcards(Wildcards(pattern, folding: folding))
        case .matches:
          preconditionFailure("A regular expression is prepared by WholeTextExpression.")
        }
    }

    /// Whether a folded text of this length can match, to avoid lowercasing one that cannot.
    func canMatch(byteCount: Int) -> Bool {
      switch self {
      case .never: false
      case .equal(let bytes): byteCount == bytes.count
      case .prefix(let bytes), .suffix(let bytes): byteCount >= bytes.count
      case .infix(let needle): byteCount >= needle.bytes.count
      case .wildcards(let wildcards): byteCount >= wildcards.minimumByteCount
      case .expression: true
      }
    }

    /// Whether the folded text matches.
    func matches(_ text: Span<UInt8>) -> Bool {
      switch self {
      case .never: false
      case .equal(let bytes): text.count == bytes.count && text.hasBytes(bytes, at: 0)
      case .prefix(let bytes): text.hasBytes(bytes, at: 0)
      case .suffix(let bytes): text.hasBytes(bytes, at: text.count - bytes.count)
      case .infix(let needle): needle.firstOffset(in: text, from: 0) != nil
      case .wildcards(let wildcards): wildcards.matches(text)
      case .expression(let expression): expression.matches(String(utf8: text))
      }
    }
  }
}
