import ManagedObjectModel

/// What a file settles that does not follow from the model.
struct SchemaBasis {
  /// The names of the entities that the file has, where that is not what a configuration says.
  var members: Set<String>?
  /// The numbers of entities, by name; others are numbered as in a new store.
  var numbers: [String: Int] = [:]
  /// Relationships after which a join table is named although a new store would name it after their
  /// inverse.
  var namingRelationships: Set<ObjectIdentifier> = []
  /// How the columns of composite attributes are named.
  var leafNaming = LeafNaming.element
  /// Columns with the entity's number that have another name than planned: by table, then by
  /// planned name.
  var entityColumns: [String: [String: String]] = [:]
}

/// Ways to name the column of an element of a composite attribute.
///
/// No store of Apple's with one was seen. New stores have the first; a file is matched by the first
/// that fits.
enum LeafNaming: CaseIterable {
  /// The innermost element's name alone.
  case element
  /// The attribute's name and those of all elements, with underscores between them.
  case pathWithUnderscores
  /// The attribute's name and those of all elements.
  case path

  func columnName(attribute: String, path: [String]) -> String {
    switch self {
    case .element: "Z\(path.last ?? "")".uppercased()
    case .pathWithUnderscores: "Z\(([attribute] + path).joined(separator: "_"))".uppercased()
    case .path: "Z\(([attribute] + path).joined())".uppercased()
    }
  }
}
