import ManagedObjectModel

/// The names that entities and properties have in the cloud: those that they began with.
///
/// A name in the cloud can never change, since other versions of the program read and write it.
/// What a model has renamed since keeps its former name there, which the renaming identifier tells,
/// and goes on being one with what other versions have. A former name that something else has taken
/// over by now is that one's; then the present name is used.
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
    // Who goes back to the present name may have it from another one, which goes back as well.
    while true {
      let kept = Set(names.filter { $0.key == $0.value }.keys)
      let taken = names.filter { $0.key != $0.value && kept.contains($0.value) }.keys
      if taken.isEmpty { break }
      for name in taken { names[name] = name }
    }
    self.names = names
  }

  /// The name in the cloud of what has a name in the model.
  package subscript(_ name: String) -> String { names[name] ?? name }

  /// The present name, where the cloud has a former one and nothing else has the present one:
  /// programs that know nothing of the renaming write it.
  func alias(of name: String) -> String? {
    self[name] == name || names.values.contains(name) ? nil : name
  }
}
