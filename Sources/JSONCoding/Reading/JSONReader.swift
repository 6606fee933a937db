/// Reads one JSON document where it lies, value by value, as a decoder asks for them.
///
/// The reader is strict (RFC 8259, UTF-8, nothing after the value), makes no tree, and never traps, whatever the bytes
/// are. A decoder walks containers with `beginObject` and `nextKey`, `beginArray` and `nextElement`, and takes each value
/// with the function of its type:
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
/// A value that the decoder does not read is skipped, and checked as if it were read: so unknown parts cannot hide bad bytes.
public struct JSONReader: ~Copyable, ~Escapable {
  /// What has to come next.
  @usableFromInline enum Expectation: UInt8 {
    /// The first element, or the container's end.
    case first
    /// A value.
    case value
    /// A comma and an element, or the container's end.
    case rest
  }

  /// Where the reader stands in one container: an array's index, or where an object's present key begins.
  @usableFromInline struct Frame: Sendable {
    var isArray: Bool
    var place: Int
  }

  let bytes: RawSpan
  let limits: JSONLimits
  let isASCII: Bool
  @usableFromInline var position = 0
  @usableFromInline var expectation = Expectation.value
  /// How many containers are open.
  @usableFromInline var depth = 0
  /// Where the value begins that was asked for last.
  @usableFromInline var valueStart = 0
  /// One for each container that is open, from 1; the first stands for the document.
  @usableFromInline var frames = [Frame(isArray: false, place: 0)]
  /// Strings with escapes are put together here.
  var scratch: [UInt8] = []

  @_lifetime(copy text)
  @usableFromInline init(_ text: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
    isASCII = try Self.check(text)
    bytes = unsafe text.bytes
    self.limits = limits
  }

  /// Looks at all bytes once, to know that they are UTF-8.
  ///
  /// - Returns: Whether they are ASCII.
  private static func check(_ text: Span<UInt8>) throws(JSONError) -> Bool {
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      throw JSONError(.encoding, "a byte order mark begins the document", offset: 0, path: "")
    }
    do throws(UTF8.ValidationError) {
      return try UTF8Span(validating: text).isKnownASCII
    } catch {
      throw JSONError(.encoding, "the bytes are not UTF-8", offset: error.byteOffsets.lowerBound, path: "")
    }
  }
}

extension JSONReader {
  /// Reads a whole document.
  ///
  /// What `decode` leaves unread is checked as well, and nothing may follow the value but white space.
  @inlinable
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
  @inlinable
  public static func read<Value>(
    _ bytes: [UInt8], limits: JSONLimits = .standard,
    _ decode: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    try read(bytes.span, limits: limits, decode)
  }
}
