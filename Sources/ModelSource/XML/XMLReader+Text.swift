extension XMLReader {
  /// Reads character data up to the next bracket into the innermost open element.
  mutating func readText(into open: inout [SourceElement]) throws(XMLSyntaxError) {
    guard let innermost = open.indices.last else {
      throw failure("There is text outside of the element.", "Remove it.")
    }
    guard !atEnd else {
      throw failure(
        at: open[innermost].offset,
        "The element <\(open[innermost].name)> is not closed; the file ends inside it.",
        "The file is cut off; restore it.")
    }
    var text: [UInt8] = []
    while let byte = peek(), byte != UInt8(ascii: "<") {
      if byte == UInt8(ascii: "&") {
        text += try readReference()
      } else {
        text.append(byte)
        position += 1
      }
    }
    open[innermost].text += String(decoding: text, as: UTF8.self)
  }

  /// Reads the text after `<![CDATA[`.
  mutating func readCharacterData(into open: inout [SourceElement]) throws(XMLSyntaxError) {
    let start = position
    let end = try find("]]>", for: "character data")
    guard let innermost = open.indices.last else {
      throw failure("There is text outside of the element.", "Remove it.")
    }
    open[innermost].text += String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Reads a reference, from `&` to `;`, and returns the bytes of its character.
  mutating func readReference() throws(XMLSyntaxError) -> [UInt8] {
    let start = position
    let longest = 12
    guard
      let end = bytes[start..<min(start + longest, bytes.count)].firstIndex(of: UInt8(ascii: ";"))
    else {
      throw failure(at: start, "There is a bare &.", "Write &amp; instead.")
    }
    let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    position = end + 1
    if let scalar = Self.predefined[name] ?? Self.numbered(name) {
      return Array(String(scalar).utf8)
    }
    let problem =
      name.hasPrefix("#")
      ? "&\(name); is not a character that XML allows." : "The entity &\(name); is not known."
    throw failure(
      at: start, problem,
      "Write the character itself; only &lt; &gt; &amp; &quot; &apos; and &#…; are known.")
  }

  private static let predefined: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  private static func numbered(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
      return nil
    }
    guard let scalar = Unicode.Scalar(number), number >= 0x20 || [0x9, 0xA, 0xD].contains(number)
    else { return nil }
    return scalar
  }
}
