import ManagedObjectModel

/// The names of entities and properties in the cloud, which are their original names.
///
/// A name in the cloud can never change, since other versions of the program use it. A renamed
/// property keeps its former name, the renaming identifier. If something else now has that name,
/// the property's current name is used.
struct NamesInCloud {
  private let names: [String: String]

  /// The names of the properties of an entity, or of the elements of a composite attribute.
  init(_ properties: [NSPropertyDescription]) {
    self.init(properties.map { ($0.name, $0.renamingIdentifier) })
  }

  /// The names of the entities of a model.
  init(_ entities: [NSEntityDescription]) {
    self.init(entities.compactMap { entity in entity.name.map { ($0, entity.renamingIdentifier) } })
  }

  private init(_ all: [(name: String, former: String?)]) {
    var names = Dictionary(
      all.map { ($0.name, $0.former ?? $0.name) }, uniquingKeysWith: { first, _ in first })
    // A name that falls back to its current form may be another part's cloud name, which then falls
    // back too.
    while true {
      let kept = Set(names.filter { $0.key == $0.value }.keys)
      let taken = names.filter { $0.key != $0.value && kept.contains($0.value) }.keys
      if taken.isEmpty { break }
      for name in taken { names[name] = name }
    }
    self.names = names
  }

  /// The cloud name for a name in the model.
  package subscript(_ name: String) -> String { names[name] ?? name }

  /// Returns the current name of a renamed part, which programs without the renaming write.
  ///
  /// Nil if the part was not renamed, or if something else has its current name in the cloud.
  func alias(of name: String) -> String? {
    self[name] == name || names.values.contains(name) ? nil : name
  }
}
