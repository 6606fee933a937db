import JSONCoding

/// JSON: reading and skipping agree, and what is read can be written and reads back to the same.
enum JSONTarget: FuzzTarget {
  static let name = "json"

  static func run(_ bytes: [UInt8]) {
    guard isWhole(bytes) else {
      require((try? JSONValue(bytes)) == nil, "a document is read that cannot be skipped")
      return
    }
    guard let value = try? JSONValue(bytes) else { return }
    require((try? JSONValue(value.bytes)) == value, "a value changes when written")
    // Behind another value the document is refused; in an array it is accepted.
    require(!isWhole(Array("1 ".utf8) + bytes), "two values are one document")
    require(
      isWhole(Array("[1,".utf8) + bytes + Array("]".utf8)) || isDeep(bytes), "an element is refused"
    )
    decode(bytes)
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    (try? JSONReader.read(bytes) { reader throws(JSONError) in try reader.skip() }) != nil
  }

  /// Whether one more level is too many.
  private static func isDeep(_ bytes: [UInt8]) -> Bool {
    bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
      >= JSONLimits.standard.maximumDepth
  }

  /// Asks for what may not be there.
  private static func decode(_ bytes: [UInt8]) {
    _ = try? JSONReader.read(bytes) { reader throws(JSONError) in
      try reader.beginArray()
      while try reader.nextElement() {
        let position = try reader.skipForLater()
        let integer = try? reader.read(position) { reader throws(JSONError) in
          try reader.int64OrText()
        }
        let double = try? reader.read(position) { reader throws(JSONError) in
          try reader.doubleOrText()
        }
        require(integer == nil || double != nil, "an integer that is no number")
        _ = try? reader.read(position) { reader throws(JSONError) in try reader.base64() }
      }
    }
  }
}
