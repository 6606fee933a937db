import PredicateLanguage
import TextMatching

/// A fetch without its values: fetches of one shape have the same SQL.
struct FetchShape: Hashable, Sendable {
  let result: FetchResult
  /// The index of the entity's layout.
  let layoutIndex: Int
  let includesSubentities: Bool
  let condition: Condition
  let order: [SortShape]
  let hasLimit: Bool
  let hasOffset: Bool

  /// Hashes only the values that usually distinguish fetches.
  func hash(into hasher: inout Hasher) {
    hasher.combine(layoutIndex)
    hasher.combine(condition)
    hasher.combine(order.count)
  }
}

/// The kind of result of a fetch.
enum FetchResult: Hashable, Sendable {
  case rows(columns: [String])
  case keys
  case count
  case dictionaries(DictionaryShape)
  /// The number of dictionaries.
  case dictionaryCount(DictionaryShape)

  var isCount: Bool {
    switch self {
    case .count, .dictionaryCount: true
    default: false
    }
  }

  var isOfDictionaries: Bool {
    switch self {
    case .dictionaries, .dictionaryCount: true
    default: false
    }
  }
}

/// One sort descriptor.
struct SortShape: Hashable, Sendable {
  /// The path; nil for the row itself.
  let path: PropertyPath?
  let isAscending: Bool
  /// The collation of texts, if they are not ordered by their bytes.
  let collation: TextCollation.Rule?
}

/// The columns and groups of a fetch of dictionaries.
struct DictionaryShape: Hashable, Sendable {
  var columns: [ColumnShape]
  /// The names of the properties to group by.
  var groups: [String]
  var having: Condition
  var isDistinct: Bool
}

/// One entry of the dictionaries.
struct ColumnShape: Hashable, Sendable {
  let name: String
  let content: Content
  /// The number of the requested attribute type; 0 for the type of the value.
  let type: UInt

  enum Content: Hashable, Sendable {
    case property(PropertyPath)
    case expression(Operand)
  }
}
