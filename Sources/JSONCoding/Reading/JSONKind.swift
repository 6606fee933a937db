/// The kind of a value, which its first byte determines.
public enum JSONKind: Sendable {
  case object, array, string, number, boolean, null
}

extension JSONKind {
  /// The kind of value that begins with a byte, or nil if none does.
  @inline(__always)
  init?(firstByte byte: UInt8) {
    switch byte {
    case ASCII.quote: self = .string
    case ASCII.openBrace: self = .object
    case ASCII.openBracket: self = .array
    case ASCII.minus, ASCII.zero...ASCII.nine: self = .number
    case ASCII.t, ASCII.f: self = .boolean
    case ASCII.n: self = .null
    default: return nil
    }
  }

  /// The kind with its article, for messages.
  var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "a boolean"
    case .null: "null"
    }
  }
}
