import ManagedObjectModel

/// Finds the entities and properties of a model by the names in a document.
///
/// Apple's XML stores write the names of entities in upper case and those of properties in lower
/// case. So a name is also found regardless of case.
struct DocumentModel {
  private let entities: Names<NSEntityDescription>
  private let properties: [ObjectIdentifier: Names<NSPropertyDescription>]

  init(_ model: NSManagedObjectModel) {
    entities = Names(model.entities.map { ($0.name ?? "", $0) })
    properties = Dictionary(
      model.entities.map { entity in
        (ObjectIdentifier(entity), Names(entity.propertiesByName.map { ($0.key, $0.value) }))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The names that differ only in case from the name of another entity, or of another property of
  /// the same entity.
  var ambiguousNames: Set<String> {
    properties.values.reduce(entities.ambiguous) { $0.union($1.ambiguous) }
  }

  /// - Throws: An error if the model has no such entity, or several that differ only in case.
  func entity(_ name: String) throws(DocumentError) -> NSEntityDescription {
    if let entity = entities[name] { return entity }
    throw DocumentError(
      "The file has objects of the entity \(name), which the model does not have.",
      "Open it with the model that wrote it.")
  }

  /// - Throws: An error if the entity has no such property, or several that differ only in case.
  func property(_ name: String, of entity: NSEntityDescription) throws(DocumentError)
    -> NSPropertyDescription
  {
    if let property = properties[ObjectIdentifier(entity)]?[name] { return property }
    throw DocumentError(
      "The file has a property \(name) for an object of \(entity.name ?? ""), which the "
        + "entity does not have.",
      "Open it with the model that wrote it.")
  }

  /// Items by name, and by name regardless of case if that is unique.
  private struct Names<Item> {
    private let exact: [String: Item]
    private let folded: [String: Item?]

    init(_ items: [(String, Item)]) {
      exact = Dictionary(items, uniquingKeysWith: { first, _ in first })
      folded = Dictionary(
        items.map { (Self.folding($0.0), $0.1) }, uniquingKeysWith: { _, _ in nil })
    }

    var ambiguous: Set<String> {
      Set(exact.keys.filter { folded[Self.folding($0)].flatMap(\.self) == nil })
    }

    subscript(name: String) -> Item? { exact[name] ?? folded[Self.folding(name)] ?? nil }

    /// A name regardless of case; `ß` and `ss` are equal, because both are `SS` in upper case.
    private static func folding(_ name: String) -> String { name.uppercased().lowercased() }
  }
}
