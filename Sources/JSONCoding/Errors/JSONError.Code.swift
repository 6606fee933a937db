extension JSONError {
  /// The kind of an error.
  ///
  /// Later releases may add kinds.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The kind's name.
    public let rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The document ends within its value.
    public static let truncated = Code(rawValue: "truncated")
    /// The bytes are not JSON.
    public static let syntax = Code(rawValue: "syntax")
    /// The bytes are not UTF-8, begin with a byte order mark, or contain half of a surrogate pair.
    public static let encoding = Code(rawValue: "encoding")
    /// Bytes follow the document's value.
    public static let trailingBytes = Code(rawValue: "trailingBytes")
    /// A value is of another kind than the decoder requested.
    public static let wrongKind = Code(rawValue: "wrongKind")
    /// A number has a fraction where the decoder requested an integer.
    public static let notIntegral = Code(rawValue: "notIntegral")
    /// A number does not fit the requested type.
    public static let outOfRange = Code(rawValue: "outOfRange")
    /// The document exceeds a limit of `JSONLimits` or of the call.
    public static let limit = Code(rawValue: "limit")
    /// A known key appears twice in one object.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A required key is missing.
    public static let missingKey = Code(rawValue: "missingKey")
    /// A value has the right kind, but the decoder does not accept it.
    public static let invalidValue = Code(rawValue: "invalidValue")
  }
}
