import PredicateLanguage
import TextMatching

/// A fetch without its values: fetches of one shape have one SQL.
struct FetchShape: Hashable, Sendable {
  let result: FetchResult
  /// The layout of the entity.
  let layoutIndex: Int
  let includesSubentities: Bool
  let condition: Condition
  let order: [SortShape]
  let hasLimit: Bool
  let hasOffset: Bool

  /// The columns are as good as always those of the entity, so they need not be hashed.
  func hash(into hasher: inout Hasher) {
    hasher.combine(layoutIndex)
    hasher.combine(condition)
    hasher.combine(order.count)
  }
}

/// What a fetch gives for a row.
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

/// One property to sort by.
struct SortShape: Hashable, Sendable {
  /// The path; nil for the row itself.
  let path: PropertyPath?
  let isAscending: Bool
  /// How texts are ordered, where not by their bytes.
  let collation: TextCollation.Rule?
}

/// The columns and groups of a fetch of dictionaries.
struct DictionaryShape: Hashable, Sendable {
  var columns: [ColumnShape]
  /// The names of the properties that make a group.
  var groups: [String]
  var having: Condition
  var isDistinct: Bool
}

/// One entry of the dictionaries.
struct ColumnShape: Hashable, Sendable {
  let name: String
  let content: Content
  /// The number of the attribute type that the value is wanted in; 0 for the type that it has.
  let type: UInt

  enum Content: Hashable, Sendable {
    case property(PropertyPath)
    case expression(Operand)
  }
}
