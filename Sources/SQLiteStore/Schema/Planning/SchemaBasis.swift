import ManagedObjectModel

/// The parts of a schema that do not follow from the model, such as names and numbers in a file.
struct SchemaBasis {
  /// The names of the entities in the file; nil if the configuration determines them.
  var members: Set<String>?
  /// The numbers of entities, by name; others are numbered as in a new store.
  var numbers: [String: Int] = [:]
  /// Relationships that name their join table, although a new store would name it after their
  /// inverse.
  var namingRelationships: Set<ObjectIdentifier> = []
  /// The naming of composite attributes' columns.
  var leafNaming = LeafNaming.element
  /// Tables whose names differ from the plan, by the name of the root entity.
  var tables: [String: String] = [:]
  /// Columns whose names differ from the plan: by the root entity's name, then by planned name.
  var columns: [String: [String: String]] = [:]
  /// Planned columns that the file lacks and that are not needed to read rows, by the root entity's
  /// name.
  var absentColumns: [String: Set<String>] = [:]
  /// Relationships without an inverse that have a join table, because their members had several
  /// owners when the file was created or migrated.
  var joinedRelationships: Set<ObjectIdentifier> = []
  /// Join tables whose names or columns differ from the plan.
  var joins: [JoinSide: JoinNames] = [:]
}

/// The end of a relationship that a join table is named after.
struct JoinSide: Hashable {
  /// The name of the entity that declares the relationship.
  let entity: String
  let relationship: ObjectIdentifier
}

/// The names of a join table and of its columns.
struct JoinNames: Hashable {
  var table: String
  var first: String
  var second: String
  var firstOrder: String?
  var secondOrder: String?
}

/// The naming of a column of a composite attribute's element.
///
/// No store of Apple's with a composite attribute was available. New stores use the first case; for
/// an existing file, the first case that matches is used.
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
