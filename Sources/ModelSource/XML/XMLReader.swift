/// A strict reader of the XML that Apple's tools write: UTF-8, elements, attributes, comments,
/// character data.
///
/// Foundation's `XMLParser` on Linux is not reliable enough for models: it accepts a file that ends
/// inside a tag, does not report a document type, and reports the end of a tag instead of its
/// start. This reader rejects everything that could expand a small file or reach outside of it
/// (document types, custom entities). It is not recursive; `Limits` bounds all sizes.
package struct XMLReader {
  /// The handling of a document type declaration.
  package enum DocumentType: Sendable {
    /// Reject it.
    case refused
    /// Skip it. A document type with declarations is still rejected.
    case ignored
  }

  /// The limits of a file, and the remedy if it exceeds them.
  package struct Size: Sendable {
    let bytes: Int
    let elements: Int
    let remedy: String

    package init(bytes: Int, elements: Int, remedy: String) {
      (self.bytes, self.elements, self.remedy) = (bytes, elements, remedy)
    }

    /// The largest data model.
    package static let model = Size(
      bytes: Limits.fileBytes, elements: Limits.elements, remedy: "Split the model.")

    /// The largest source of a mapping model.
    package static let mapping = Size(
      bytes: Limits.mappingBytes, elements: Limits.elements, remedy: "Split the mapping model.")
  }

  let bytes: [UInt8]
  let documentType: DocumentType
  let largest: Size
  var position = 0

  private init(bytes: [UInt8], documentType: DocumentType, largest: Size) {
    self.bytes = bytes
    self.documentType = documentType
    self.largest = largest
  }

  /// The root element of an XML file.
  package static func read(
    _ bytes: [UInt8], documentType: DocumentType = .refused, largest: Size = .model
  ) throws(XMLSyntaxError) -> SourceElement {
    var reader = XMLReader(bytes: bytes, documentType: documentType, largest: largest)
    return try reader.readDocument()
  }

  private mutating func readDocument() throws(XMLSyntaxError) -> SourceElement {
    try requireReadableText()
    skip("\u{FEFF}")
    try readDeclaration()
    try skipMiscellany()
    guard peek() == UInt8(ascii: "<") else {
      throw failure(
        atEnd ? "The file has no element." : "There is text before the first element.",
        "Restore the file from version control, or save the model again.")
    }
    let root = try readTree()
    try skipMiscellany()
    guard atEnd else {
      throw failure("There is something after the end of the element <\(root.name)>.", "Remove it.")
    }
    return root
  }

  /// Reads elements into their parents until the root is closed.
  private mutating func readTree() throws(XMLSyntaxError) -> SourceElement {
    var open: [SourceElement] = []
    var count = 0
    while true {
      if skip("</") {
        let closed = try readEndTag(of: open.popLast())
        guard let parent = open.indices.last else { return closed }
        open[parent].children.append(closed)
      } else if skip("<!--") {
        try skipComment()
      } else if skip("<![CDATA[") {
        try readCharacterData(into: &open)
      } else if skip("<?") {
        try skipInstruction()
      } else if peek() == UInt8(ascii: "<") {
        count += 1
        try checkLimits(for: count, depth: open.count + 1)
        let (element, isEmpty) = try readStartTag()
        if !isEmpty {
          open.append(element)
        } else if let parent = open.indices.last {
          open[parent].children.append(element)
        } else {
          return element
        }
      } else {
        try readText(into: &open)
      }
    }
  }

  private func checkLimits(for count: Int, depth: Int) throws(XMLSyntaxError) {
    guard depth <= Limits.elementDepth else {
      throw failure(
        "Elements are nested more than \(Limits.elementDepth) deep.",
        "A data model needs 6 levels; look for a missing end tag.")
    }
    guard count <= largest.elements else {
      throw failure(largest.excessOfElements, largest.remedy)
    }
  }
}
