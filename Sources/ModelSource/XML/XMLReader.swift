/// A strict reader of the XML that Apple's tools write: UTF-8, elements, attributes, comments,
/// character data.
///
/// It is our own because the toolchain's reader cannot be trusted with a model: `XMLParser` of
/// Foundation on Linux calls a file that ends inside a tag well-formed, does not report a document
/// type, and gives the place where a tag ends instead of where it begins. Everything that could
/// make a small file large or reach outside of it (document types, entities of one's own) is
/// refused. Nothing here recurses; all sizes are bounded by `Limits`.
package struct XMLReader {
  /// What to do about a document type declaration.
  package enum DocumentType: Sendable {
    /// Refuse it.
    case refused
    /// Pass over it. One with declarations of its own is refused all the same.
    case ignored
  }

  let bytes: [UInt8]
  let documentType: DocumentType
  var position = 0

  private init(bytes: [UInt8], documentType: DocumentType) {
    self.bytes = bytes
    self.documentType = documentType
  }

  /// The root element of an XML file.
  package static func read(
    _ bytes: [UInt8], documentType: DocumentType = .refused
  ) throws(XMLSyntaxError) -> SourceElement {
    var reader = XMLReader(bytes: bytes, documentType: documentType)
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

  /// Reads elements, each into the list of its parent, until the root is closed.
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
        try requireRoom(for: count, depth: open.count + 1)
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

  private func requireRoom(for count: Int, depth: Int) throws(XMLSyntaxError) {
    guard depth <= Limits.elementDepth else {
      throw failure(
        "Elements are nested more than \(Limits.elementDepth) deep.",
        "A data model needs 6 levels; look for a missing end tag.")
    }
    guard count <= Limits.elements else {
      throw failure("The file has more than \(Limits.elements) elements.", "Split the model.")
    }
  }
}
