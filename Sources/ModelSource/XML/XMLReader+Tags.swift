extension XMLReader {
  /// Reads `<name attribute="value" …>` or `<name …/>`.
  mutating func readStartTag() throws(XMLSyntaxError) -> (element: SourceElement, isEmpty: Bool) {
    let start = position
    position += 1
    let name = try readName("an element")
    var attributes: [SourceElement.Attribute] = []
    while true {
      let hadSpace = skipSpace()
      if skip("/>") {
        return (SourceElement(name: name, attributes: attributes, offset: start), true)
      }
      if skip(">") {
        return (SourceElement(name: name, attributes: attributes, offset: start), false)
      }
      guard !atEnd else {
        throw failure(
          at: start, "The file ends inside the tag <\(name)>.", "The file is cut off; restore it.")
      }
      guard hadSpace else {
        throw failure("Attributes of <\(name)> must be separated by a space.", "Insert a space.")
      }
      let attribute = try readAttribute(of: name)
      guard !attributes.contains(where: { $0.name == attribute.name }) else {
        throw failure(
          at: attribute.offset, "The attribute \(attribute.name) of <\(name)> occurs twice.",
          "Remove one of them.")
      }
      attributes.append(attribute)
      guard attributes.count <= Limits.attributesPerElement else {
        throw failure(
          "<\(name)> has more than \(Limits.attributesPerElement) attributes.", "Remove some.")
      }
    }
  }

  /// Reads the text after `</` and closes the element.
  mutating func readEndTag(of element: SourceElement?) throws(XMLSyntaxError) -> SourceElement {
    let start = position - 2
    let name = try readName("an element")
    guard let element else {
      throw failure(at: start, "</\(name)> closes an element that was not opened.", "Remove it.")
    }
    guard element.name == name else {
      let opened = LineIndex(bytes).position(ofByte: element.offset)
      throw failure(
        at: start,
        "There is </\(name)>, but </\(element.name)> is expected for the element opened in line \(opened.line).",
        "Close <\(element.name)> first.")
    }
    skipSpace()
    guard skip(">") else { throw failure("The end tag </\(name)> is not closed.", "Insert >.") }
    return element
  }

  private mutating func readAttribute(of element: String) throws(XMLSyntaxError)
    -> SourceElement.Attribute
  {
    let start = position
    let name = try readName("an attribute of <\(element)>")
    skipSpace()
    guard skip("=") else {
      throw failure("The attribute \(name) of <\(element)> has no value.", "Write \(name)=\"…\".")
    }
    skipSpace()
    guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw failure("The value of \(name) must be in quotation marks.", "Write \(name)=\"…\".")
    }
    position += 1
    let value = try readAttributeValue(of: name, until: quote, start: start)
    return SourceElement.Attribute(name: name, value: value, offset: start)
  }

  private mutating func readAttributeValue(
    of name: String, until quote: UInt8, start: Int
  ) throws(XMLSyntaxError) -> String {
    var value: [UInt8] = []
    while let byte = peek(), byte != quote {
      switch byte {
      case UInt8(ascii: "<"):
        throw failure("The value of \(name) contains a bare <.", "Write &lt; instead.")
      case UInt8(ascii: "&"):
        value += try readReference()
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        // XML turns white space in attributes into spaces. A document writes a line break as &#10;.
        value.append(UInt8(ascii: " "))
        position += 1
      default:
        value.append(byte)
        position += 1
      }
    }
    guard !atEnd else {
      throw failure(at: start, "The value of \(name) has no closing quotation mark.", "Insert it.")
    }
    position += 1
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func readName(_ what: String) throws(XMLSyntaxError) -> String {
    let start = position
    while let byte = peek(), position == start ? byte.startsName : byte.continuesName {
      position += 1
    }
    guard position > start else {
      throw failure("The name of \(what) is missing here.", "Correct the tag.")
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var startsName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...0xFF: true
    default: false
    }
  }

  fileprivate var continuesName: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: startsName
    }
  }
}
