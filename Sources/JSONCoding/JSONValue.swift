/// A JSON value in memory, for tools and tests.
///
/// Decoders read into their own types and do not need it.
public indirect enum JSONValue: Hashable, Sendable {
  /// Members in their original order. No key appears twice.
  case object([Member])
  case array([JSONValue])
  case string(String)
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
  case null

  /// A key and its value.
  public struct Member: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public let value: JSONValue

    /// Creates a member.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }
}

// MARK: - Reading

extension JSONValue {
  /// Reads a whole document.
  public init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    self = try JSONReader.read(bytes, limits: limits) { reader throws(JSONError) in
      try JSONValue(from: &reader)
    }
  }

  /// Reads the next value.
  ///
  /// This initializer is recursive. The reader limits the depth.
  public init(from reader: inout JSONReader) throws(JSONError) {
    switch try reader.peek() {
    case .object: self = .object(try Self.members(from: &reader))
    case .array: self = .array(try Self.elements(from: &reader))
    case .string: self = .string(try reader.string())
    case .number: self = JSONValue(try reader.number())
    case .boolean: self = .boolean(try reader.bool())
    case .null:
      _ = try reader.null()
      self = .null
    }
  }

  private init(_ number: JSONNumber) {
    switch number {
    case .integer(let integer): self = .integer(integer)
    case .double(let double): self = .double(double)
    }
  }

  private static func elements(from reader: inout JSONReader) throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    try reader.beginArray()
    while try reader.nextElement() { elements.append(try JSONValue(from: &reader)) }
    return elements
  }

  private static func members(from reader: inout JSONReader) throws(JSONError) -> [Member] {
    var members: [Member] = []
    var keys: Set<[UInt8]> = []
    try reader.beginObject()
    while let key = try reader.nextKey() {
      // Keys are compared as bytes. Swift compares texts by canonical equivalence.
      guard keys.insert(Array(key.utf8)).inserted else { throw reader.duplicateKey() }
      members.append(Member(key, try JSONValue(from: &reader)))
    }
    return members
  }
}

// MARK: - Writing

extension JSONValue {
  /// Writes the value.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(text: member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .string(let text): writer.string(text)
    case .integer(let integer): writer.int64(integer)
    case .double(let double): writer.double(double)
    case .boolean(let boolean): writer.bool(boolean)
    case .null: writer.null()
    }
  }

  /// The value as a document.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.array()
  }
}
