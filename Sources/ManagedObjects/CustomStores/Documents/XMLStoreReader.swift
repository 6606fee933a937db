import Foundation
import ModelSource

/// Reads the document in the elements of an XML store.
struct XMLStoreReader {
  private let root: SourceElement

  init(_ root: SourceElement) { self.root = root }

  func read() throws(DocumentError) -> StoreDocument {
    guard root.name == "database" else {
      throw DocumentError(
        "Its root element is <\(root.name)>, and that of an XML store is <database>.",
        "Choose another file.")
    }
    let info = root.children(named: "databaseInfo").first
    var document = StoreDocument(
      uuid: text("UUID", in: info) ?? "",
      lastNumber: text("nextObjectID", in: info).flatMap(Int64.init) ?? StoreDocument.firstNumber,
      metadata: try metadata(in: info))
    document.objects.reserveCapacity(root.children.count)
    for element in root.children(named: "object") {
      document.objects.append(try object(element))
    }
    document.exactNames = Set(document.objects.flatMap(exactNames))
    return document
  }

  /// The names that the file has in another case than usual.
  private func exactNames(of object: DocumentObject) -> [String] {
    let properties = object.attributes.map(\.name) + object.relationships.map(\.name)
    return properties.filter { $0 != $0.lowercased() }
      + [object.entity].filter { $0 != $0.uppercased() }
  }

  private func text(_ name: String, in element: SourceElement?) -> String? {
    element?.children(named: name).first?.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func metadata(in info: SourceElement?) throws(DocumentError) -> [String: Any] {
    guard let list = info?.children(named: "metadata").first?.children(named: "plist").first,
      let root = list.children.first
    else { return [:] }
    guard let metadata = try XMLPropertyListElement(root).value() as? [String: Any] else {
      throw DocumentError("Its metadata are not a dictionary.", "Restore the file from a backup.")
    }
    return metadata
  }

  private func object(_ element: SourceElement) throws(DocumentError) -> DocumentObject {
    var object = DocumentObject(
      entity: try required("type", of: element), name: DocumentName(try required("id", of: element))
    )
    for child in element.children {
      switch child.name {
      case "attribute": object.attributes.append(try attribute(child))
      case "relationship": object.relationships.append(try relationship(child))
      default:
        throw DocumentError(
          "At byte \(child.offset): an object has an element <\(child.name)>.",
          "A newer version of Core Data may have written it.")
      }
    }
    return object
  }

  private func attribute(_ element: SourceElement) throws(DocumentError) -> (
    name: String, value: DocumentValue
  ) {
    let type = element[attribute: "type"] ?? "string"
    return (
      try required("name", of: element),
      DocumentValue(type: type, content: .text(XMLStoreText.unescaped(element.text)))
    )
  }

  private func relationship(_ element: SourceElement) throws(DocumentError)
    -> DocumentRelationship
  {
    let members = (element[attribute: "idrefs"] ?? "").split(separator: " ")
    return DocumentRelationship(
      name: try required("name", of: element), cardinality: element[attribute: "type"] ?? "0/0",
      destination: element[attribute: "destination"] ?? "",
      members: members.map { DocumentName(String($0)) })
  }

  private func required(_ name: String, of element: SourceElement) throws(DocumentError) -> String {
    if let value = element[attribute: name] { return value }
    throw DocumentError(
      "At byte \(element.offset): <\(element.name)> has no \(name).",
      "Restore the file from a backup.")
  }
}

/// An element of a property list inside an XML store.
struct XMLPropertyListElement {
  private let element: SourceElement

  init(_ element: SourceElement) { self.element = element }

  /// The value in the form of Foundation.
  func value() throws(DocumentError) -> Any {
    let text = element.text
    switch element.name {
    case "dict": return try dictionary()
    case "array":
      var elements: [Any] = []
      for child in element.children { elements.append(try XMLPropertyListElement(child).value()) }
      return elements
    case "string": return text
    case "true": return true
    case "false": return false
    case "integer":
      if let number = Int(text) { return number }
      if let number = UInt64(text) { return number }
    case "real": if let number = Double(text) { return number }
    case "data":
      if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) { return data }
    case "date": if let date = try? Date(text, strategy: .iso8601) { return date }
    default: break
    }
    throw DocumentError(
      "At byte \(element.offset): <\(element.name)> is not a value of a property list.",
      "Restore the file from a backup.")
  }

  private func dictionary() throws(DocumentError) -> [String: Any] {
    var entries: [String: Any] = [:]
    var key: String?
    for child in element.children {
      if let name = key {
        entries[name] = try XMLPropertyListElement(child).value()
        key = nil
      } else if child.name == "key" {
        key = child.text
      } else {
        throw DocumentError(
          "At byte \(child.offset): a value of a dictionary has no key.",
          "Restore the file from a backup.")
      }
    }
    return entries
  }
}
