import Foundation

/// An object in the source of a mapping model, with its attributes as texts.
struct MappingSourceObject: Sendable {
  let kind: String
  fileprivate let attributes: [String: String]
  fileprivate let references: [String: [String]]

  /// The text of an attribute, or nil if it is missing or empty.
  subscript(name: String) -> String? {
    attributes[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The bytes of an attribute in base 64.
  func data(_ name: String) -> Data? {
    self[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
  }

  /// Whether Xcode generates the object's expression.
  var isGenerated: Bool { self["autogenerateexpression"] == "1" }

  /// The position among the mappings.
  var order: Int { self["mappingnumber"].flatMap { Int($0) } ?? 0 }
}

/// The objects in the source of a mapping model, by their identifiers.
struct MappingSourceObjects {
  private var objects: [String: MappingSourceObject] = [:]

  /// Reads the objects; records an issue if the file is not such a store.
  init(_ file: SourceFile) {
    guard let root = file.readXML(documentType: .ignored, largest: .mapping) else { return }
    guard root.name == "database" else {
      file.record(
        .error, .notAModel, at: root.offset, "The element <\(root.name)> is not <database>.",
        "Save the mapping model again with Xcode.")
      return
    }
    for element in root.children(named: "object") {
      guard let identifier = element[attribute: "id"], let kind = element[attribute: "type"] else {
        file.record(
          .error, .missingValue, at: element.offset, "An object has no id or no type.",
          "Save the mapping model again with Xcode.")
        continue
      }
      objects[identifier] = Self.object(kind, element)
    }
  }

  private static func object(_ kind: String, _ element: SourceElement) -> MappingSourceObject {
    var attributes: [String: String] = [:]
    for attribute in element.children(named: "attribute") {
      attributes[(attribute[attribute: "name"] ?? "").lowercased()] = attribute.text
    }
    var references: [String: [String]] = [:]
    for relationship in element.children(named: "relationship") {
      let identifiers = relationship[attribute: "idrefs"] ?? ""
      references[(relationship[attribute: "name"] ?? "").lowercased()] =
        identifiers.split(separator: " ").map(String.init)
    }
    return MappingSourceObject(
      kind: kind.uppercased(), attributes: attributes, references: references)
  }

  /// The object of a kind with the lowest identifier.
  func first(ofKind kind: String) -> MappingSourceObject? {
    objects.filter { $0.value.kind == kind }.min { $0.key < $1.key }?.value
  }

  /// The objects that an object refers to.
  func related(_ object: MappingSourceObject, _ relationship: String) -> [MappingSourceObject] {
    (object.references[relationship] ?? []).compactMap { objects[$0] }
  }
}
