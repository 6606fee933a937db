/// Writes JSON into a buffer that is reused for several documents.
///
/// The writer adds the commas. In debug builds, invalid calls such as a key in an array stop the
/// program.
///
///     writer.beginObject()
///     writer.key("recordName")
///     writer.string(name)
///     writer.endObject()
///
/// Only quotes, backslashes and control characters are escaped.
public struct JSONWriter: ~Copyable {
  var buffer: ByteBuffer
  /// Whether a comma must precede the next element.
  var needsComma = false
  var nesting = Nesting()

  /// Creates a writer with an initial capacity in bytes.
  public init(capacity: Int = 1024) {
    buffer = ByteBuffer(capacity: max(capacity, 16))
  }

  /// The written bytes.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { buffer.span }
  }

  /// Returns a copy of the written bytes.
  public func array() -> [UInt8] {
    let bytes = buffer.span
    return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The number of written bytes.
  public var count: Int { buffer.count }

  /// Removes the written bytes, and keeps the buffer.
  public mutating func removeAll() {
    buffer.removeAll()
    needsComma = false
    nesting = Nesting()
  }
}

// MARK: - Containers

extension JSONWriter {
  /// Opens an object.
  public mutating func beginObject() { begin(ASCII.openBrace, isArray: false) }

  /// Closes the last open object.
  public mutating func endObject() { end(ASCII.closeBrace, isArray: false) }

  /// Opens an array.
  public mutating func beginArray() { begin(ASCII.openBracket, isArray: true) }

  /// Closes the last open array.
  public mutating func endArray() { end(ASCII.closeBracket, isArray: true) }

  /// Writes a key from a literal, which must not need escapes.
  public mutating func key(_ key: StaticString) {
    assert(nesting.takesKey(), "A key must be in an object, after the value of the previous key")
    assert(JSONWriter.isPlain(key), "A literal key must not need escapes")
    let length = key.utf8CodeUnitCount
    buffer.reserve(length &+ 4)
    if needsComma { buffer.put(ASCII.comma) }
    buffer.put(ASCII.quote)
    unsafe buffer.put(key.utf8Start, length)
    buffer.put(ASCII.quote)
    buffer.put(ASCII.colon)
    needsComma = false
  }

  /// Writes a key from a text.
  public mutating func key(text key: String) {
    assert(nesting.takesKey(), "A key must be in an object, after the value of the previous key")
    comma()
    put(quoted: key)
    endKey()
  }

  /// Writes a key from the bytes of a text.
  ///
  /// - Parameter key: Valid UTF-8, which the caller guarantees.
  public mutating func key(utf8 key: Span<UInt8>) {
    assert(nesting.takesKey(), "A key must be in an object, after the value of the previous key")
    comma()
    unsafe key.withUnsafeBufferPointer { bytes in unsafe put(quoted: bytes) }
    endKey()
  }

  @inline(__always)
  private mutating func endKey() {
    buffer.reserve(1)
    buffer.put(ASCII.colon)
    needsComma = false
  }

  @inline(__always)
  private mutating func begin(_ byte: UInt8, isArray: Bool) {
    assert(nesting.takesValue(), "A value must be in an array, after a key, or the whole document")
    assert(nesting.opens(isArray: isArray))
    buffer.reserve(2)
    if needsComma { buffer.put(ASCII.comma) }
    buffer.put(byte)
    needsComma = false
  }

  @inline(__always)
  private mutating func end(_ byte: UInt8, isArray: Bool) {
    assert(
      nesting.closes(isArray: isArray),
      "The last open container is of the other kind, or a value is missing")
    buffer.reserve(1)
    buffer.put(byte)
    needsComma = true
  }

  /// Separates the next value from the previous one.
  @inline(__always)
  mutating func comma() {
    buffer.reserve(1)
    if needsComma { buffer.put(ASCII.comma) }
    needsComma = true
  }

  /// Begins a value of at most a number of bytes.
  @inline(__always)
  mutating func beginValue(reserving length: Int) {
    assert(nesting.takesValue(), "A value must be in an array, after a key, or the whole document")
    buffer.reserve(length &+ 1)
    if needsComma { buffer.put(ASCII.comma) }
    needsComma = true
  }
}
