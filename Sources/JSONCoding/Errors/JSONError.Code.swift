extension JSONError {
  /// The kind of failure.
  ///
  /// Open: a later release may add kinds.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The kind's name.
    public let rawValue: String

    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The document ends before its value does.
    public static let truncated = Code(rawValue: "truncated")
    /// The bytes are not JSON.
    public static let syntax = Code(rawValue: "syntax")
    /// The bytes are not UTF-8, begin with a byte order mark, or an escape is half of a pair.
    public static let encoding = Code(rawValue: "encoding")
    /// Bytes follow the document's value.
    public static let trailingBytes = Code(rawValue: "trailingBytes")
    /// A value is of another kind than the decoder asked for.
    public static let wrongKind = Code(rawValue: "wrongKind")
    /// A number with a fraction stands where an integer is asked for.
    public static let notIntegral = Code(rawValue: "notIntegral")
    /// A number is larger than the type that is asked for.
    public static let outOfRange = Code(rawValue: "outOfRange")
    /// A limit of `JSONLimits`, or of the call, was reached.
    public static let limit = Code(rawValue: "limit")
    /// A known key stands twice in one object.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A key that the decoder needs is not there.
    public static let missingKey = Code(rawValue: "missingKey")
    /// A value has the right kind and means nothing to the decoder.
    public static let invalidValue = Code(rawValue: "invalidValue")
  }
}
