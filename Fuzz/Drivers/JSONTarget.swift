import JSONCoding

/// JSON: reading and skipping agree, and values survive writing and reading.
enum JSONTarget: FuzzTarget {
  static let name = "json"

  static func run(_ bytes: [UInt8]) {
    guard isWhole(bytes) else {
      require((try? JSONValue(bytes)) == nil, "a document can be read but not skipped")
      return
    }
    guard let value = try? JSONValue(bytes) else { return }
    require((try? JSONValue(value.bytes)) == value, "a value changes when written")
    // After another value the document is invalid; in an array it is valid.
    require(!isWhole(Array("1 ".utf8) + bytes), "two values are accepted as one document")
    require(
      isWhole(Array("[1,".utf8) + bytes + Array("]".utf8)) || isDeep(bytes), "an element is refused"
    )
    decode(bytes)
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    (try? JSONReader.read(bytes) { reader throws(JSONError) in try reader.skip() }) != nil
  }

  /// Whether one more level may exceed the maximum depth.
  private static func isDeep(_ bytes: [UInt8]) -> Bool {
    bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
      >= JSONLimits.standard.maximumDepth
  }

  /// Reads values as types that they may not have.
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
        require(integer == nil || double != nil, "an integer cannot be read as a double")
        _ = try? reader.read(position) { reader throws(JSONError) in try reader.base64() }
      }
    }
  }
}
