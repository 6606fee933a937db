import ManagedObjectModel

/// The properties of a schema that a file determines, not the model.
struct SchemaBasis {
  /// The names of the entities in the file, if they differ from the configuration.
  var members: Set<String>?
  /// The numbers of entities, by name; others are numbered as in a new store.
  var numbers: [String: Int] = [:]
  /// Relationships that name their join table, although a new store would name it after their
  /// inverse.
  var namingRelationships: Set<ObjectIdentifier> = []
  /// The naming of composite attributes' columns.
  var leafNaming = LeafNaming.element
  /// Entity number columns whose names differ from the plan: by table, then by planned name.
  var entityColumns: [String: [String: String]] = [:]
}

/// The naming of a column of a composite attribute's element.
///
/// No store of Apple's with one was available. New stores use the first; an existing file uses the
/// first that matches.
enum LeafNaming: CaseIterable {
  /// The innermost element's name alone.
  case element
  /// The names of the attribute and of all elements, joined by underscores.
  case pathWithUnderscores
  /// The names of the attribute and of all elements, joined without a separator.
  case path

  func columnName(attribute: String, path: [String]) -> String {
    switch self {
    case .element: "Z\(path.last ?? "")".uppercased()
    case .pathWithUnderscores: "Z\(([attribute] + path).joined(separator: "_"))".uppercased()
    case .path: "Z\(([attribute] + path).joined())".uppercased()
    }
  }
}
