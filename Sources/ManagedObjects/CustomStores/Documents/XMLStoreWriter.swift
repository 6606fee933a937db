import Foundation

/// Writes a document as Apple's XML stores do.
struct XMLStoreWriter {
  private let document: StoreDocument

  init(_ document: StoreDocument) { self.document = document }

  func text() throws(DocumentError) -> String {
    var lines = [
      "<?xml version=\"1.0\" standalone=\"yes\"?>",
      "<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">",
      "", "<database>", "    <databaseInfo>",
      "        <version>\(XMLForm.version)</version>",
      "        <UUID>\(Self.escaped(document.uuid))</UUID>",
      "        <nextObjectID>\(document.lastNumber)</nextObjectID>",
    ]
    lines.append("        <metadata>")
    lines += try metadata()
    lines += ["        </metadata>", "    </databaseInfo>"]
    for object in document.objects { lines += self.lines(of: object) }
    lines.append("</database>")
    return lines.joined(separator: "\n") + "\n"
  }

  private func metadata() throws(DocumentError) -> [String] {
    let list = try propertyList()
    guard let start = list.range(of: "<plist") else { return [] }
    // Indenting the lines would change texts of several lines.
    let text = list[start.lowerBound...].trimmingCharacters(in: .newlines)
    guard
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) })
    else {
      throw DocumentError(
        "The metadata contain a control character, which XML does not allow.", "Remove it.")
    }
    return [text]
  }

  private func propertyList() throws(DocumentError) -> String {
    do {
      let data = try PropertyListSerialization.data(
        fromPropertyList: document.metadata, format: .xml, options: 0)
      return String(decoding: data, as: UTF8.self)
    } catch {
      throw DocumentError(
        "The metadata contain a value that a property list cannot have.",
        "Use strings, numbers, dates, data, arrays and dictionaries only.")
    }
  }

  private func lines(of object: DocumentObject) -> [String] {
    let type = entityName(object.entity)
    var lines = ["    <object type=\"\(type)\" id=\"\(Self.escaped(object.name.text))\">"]
    lines += object.attributes.map { name, value in
      "        <attribute name=\"\(propertyName(name))\" "
        + "type=\"\(value.type)\">\(Self.text(value))</attribute>"
    }
    lines += object.relationships.map(line)
    lines.append("    </object>")
    return lines
  }

  /// The name in the file: in upper case, as Apple writes it, unless that is ambiguous.
  private func entityName(_ name: String) -> String {
    Self.escaped(document.exactNames.contains(name) ? name : name.uppercased())
  }

  /// The name in the file: in lower case, as Apple writes it, unless that is ambiguous.
  private func propertyName(_ name: String) -> String {
    Self.escaped(document.exactNames.contains(name) ? name : name.lowercased())
  }

  private func line(of relationship: DocumentRelationship) -> String {
    let members = relationship.members.map(\.text).joined(separator: " ")
    let parts = [
      "name=\"\(propertyName(relationship.name))\"",
      "type=\"\(relationship.cardinality)\"",
      "destination=\"\(entityName(relationship.destination))\"",
    ]
    let references = members.isEmpty ? [] : ["idrefs=\"\(Self.escaped(members))\""]
    let attributes = (parts + references).joined(separator: " ")
    return "        <relationship \(attributes)></relationship>"
  }

  private static func text(_ value: DocumentValue) -> String {
    switch value.content {
    case .text(let text): XMLStoreText.escaped(text)
    case .data(let data): data.base64EncodedString(options: .lineLength76Characters)
    }
  }

  /// The text as the value of an XML attribute.
  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }
}
