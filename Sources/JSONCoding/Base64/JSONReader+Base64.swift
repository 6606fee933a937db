extension JSONReader {
  /// Reads the bytes of a base64 string, with or without padding.
  public mutating func base64() throws(JSONError) -> [UInt8] {
    let extent = try takeStringValue()
    guard let bytes = try decodedBytes(extent) else {
      throw invalidValue("expected bytes as base64")
    }
    return bytes
  }

  private mutating func decodedBytes(_ extent: StringExtent) throws(JSONError) -> [UInt8]? {
    guard extent.hasEscapes else { return Base64.decode(slice(extent.start..<extent.end)) }
    // Some writers escape the slash, which is a base64 digit.
    try unescape(extent)
    return Base64.decode(scratch.span)
  }
}
