/// Reads one JSON document in place, value by value, as a decoder requests them.
///
/// The reader is strict (RFC 8259, UTF-8, nothing after the value), builds no tree, and does not
/// trap on any input. A decoder traverses containers with `beginObject` and `nextKey`, or
/// `beginArray` and `nextElement`, and reads each value with the function of its type:
///
///     let names = try JSONReader.read(bytes) { reader throws(JSONError) in
///       var names: [String] = []
///       try reader.beginArray()
///       while try reader.nextElement() { names.append(try reader.string()) }
///       return names
///     }
///
/// Between two values the reader is in one of three states:
///
///     begin…() ──▶ first ──next…()──▶ value ──string(), int64(), skip(), …──▶ rest
///                    │                  ▲                                       │
///                    │ } or ]           └───────────────next…()─────────────────┤
///                    └────────────────────────▶ rest of the outer container ◀───┘ } or ]
///
/// Values that the decoder does not read are skipped and validated, so unknown parts cannot hide
/// malformed bytes.
public struct JSONReader: ~Copyable, ~Escapable {
  /// The token that must come next.
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
  /// The number of open containers.
  @usableFromInline var depth = 0
  /// The start of the last requested value.
  var valueStart = 0
  var frames: FrameStack
  /// A buffer for decoding strings with escapes.
  var scratch: [UInt8] = []
  /// The number of elements so far.
  var elementCount = 0
  /// The position of the last element.
  var lastElement = 0

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
  /// Values that `decode` does not read are validated, too. Only white space may follow the
  /// document's value.
  public static func read<Value>(
    _ bytes: Span<UInt8>, limits: JSONLimits = .standard,
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    var reader = try JSONReader(bytes, limits: limits)
    let value = try decode(&reader)
    try reader.finish()
    return value
  }

  /// Reads a whole document from an array of bytes.
  public static func read<Value>(
    _ bytes: [UInt8], limits: JSONLimits = .standard,
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    try read(bytes.span, limits: limits, decode)
  }
}
