/// Reads one JSON document where it lies, value by value, as a decoder asks for them.
///
/// The reader is strict (RFC 8259, UTF-8, nothing after the value), makes no tree, and never traps,
/// whatever the bytes are. A decoder walks containers with `beginObject` and `nextKey`,
/// `beginArray` and `nextElement`, and takes each value with the function of its type:
///
///     let names = try JSONReader.read(bytes) { reader throws(JSONError) in
///       var names: [String] = []
///       try reader.beginArray()
///       while try reader.nextElement() { names.append(try reader.string()) }
///       return names
///     }
///
/// What is between two values is always in one of three states:
///
///     begin…() ──▶ first ──next…()──▶ value ──string(), int64(), skip(), …──▶ rest
///                    │                  ▲                                       │
///                    │ } or ]           └───────────────next…()─────────────────┤
///                    └────────────────────────▶ rest of the container around ◀──┘ } or ]
///
/// A value that the decoder does not read is skipped, and checked as if it were read: so unknown
/// parts cannot hide bad bytes.
public struct JSONReader: ~Copyable, ~Escapable {
  /// What has to come next.
  enum Expectation: UInt8 {
    /// The first element, or the container's end.
    case first
    /// A value.
    case value
    /// A comma and an element, or the container's end.
    case rest
  }

  let bytes: RawSpan
  let limits: JSONLimits
  let isASCII: Bool
  var position = 0
  var expectation = Expectation.value
  /// How many containers are open.
  @usableFromInline var depth = 0
  /// Where the value begins that was asked for last.
  var valueStart = 0
  var frames: FrameStack
  /// Strings with escapes are put together here.
  var scratch: [UInt8] = []

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
    isASCII = try UTF8Check.isASCII(text)
    bytes = unsafe text.bytes
    self.limits = limits
    frames = FrameStack(greatestDepth: min(limits.maximumDepth, Limits.greatestDepth))
  }
}

extension JSONReader {
  /// Reads a whole document.
  ///
  /// What `decode` leaves unread is checked as well, and nothing may follow the value but white
  /// space.
  public static func read<Value>(
    _ bytes: Span<UInt8>, limits: JSONLimits = .standard,
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    var reader = try JSONReader(bytes, limits: limits)
    let value = try decode(&reader)
    try reader.finish()
    return value
  }

  /// Reads a whole document that lies in an array.
  public static func read<Value>(
    _ bytes: [UInt8], limits: JSONLimits = .standard,
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    try read(bytes.span, limits: limits, decode)
  }
}
