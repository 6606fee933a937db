extension XMLReader.Size {
  var excessOfBytes: String { "The file has more than \(bytes >> 20) MiB." }
  var excessOfElements: String { "The file has more than \(elements) elements." }

  /// Checks that a file that is to be written can be read.
  ///
  /// The file must have no comments and no `CDATA`, so that each `<` begins a tag, a declaration or
  /// a document type.
  package func check(_ file: [UInt8]) throws(XMLSyntaxError) {
    guard file.count <= bytes else {
      throw XMLSyntaxError(problem: excessOfBytes, remedy: remedy, offset: bytes)
    }
    var count = 0
    var previous: UInt8 = 0
    for byte in file {
      if previous == UInt8(ascii: "<"), Self.beginsName(byte) { count += 1 }
      previous = byte
    }
    guard count <= elements else {
      throw XMLSyntaxError(problem: excessOfElements, remedy: remedy, offset: file.count)
    }
  }

  private static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "!"): false
    default: true
    }
  }
}
