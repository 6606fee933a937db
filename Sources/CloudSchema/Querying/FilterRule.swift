import CloudRecords

/// The requirements of a comparator: comparable values, and an index.
enum FilterRule {
  /// Equality with one value or several.
  case equality
  /// An ordered comparison.
  case range
  /// A distance from a location.
  case distance
  /// Words in a text.
  case words
  /// Members of the field's list.
  case members
  /// The beginning of a text.
  case prefix
  /// The beginning of a list member.
  case memberPrefix

  init(_ comparator: FilterComparator) {
    self =
      switch comparator {
      case .equals, .notEquals, .in, .notIn: .equality
      case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .range
      case .near: .distance
      case .containsAllTokens, .containsAnyTokens: .words
      case .listContains, .notListContains, .listContainsAll, .notListContainsAll, .listContainsAny,
        .notListContainsAny:
        .members
      case .beginsWith, .notBeginsWith: .prefix
      case .listMemberBeginsWith, .notListMemberBeginsWith: .memberPrefix
      }
  }

  /// Whether the comparator supports values of a datatype.
  func compares(_ datatype: Datatype) -> Bool {
    if datatype.possibleIndexes.isEmpty { return false }
    return switch self {
    case .equality: true
    case .range: datatype.possibleIndexes.contains(.sortable) && datatype != .plain(.location)
    case .distance: datatype == .plain(.location)
    case .words: datatype.possibleIndexes.contains(.searchable)
    case .members: datatype.isList
    case .prefix: datatype == .plain(.string)
    case .memberPrefix: datatype == .plain(.stringList)
    }
  }

  /// The possible indexes, of which one suffices; errors suggest the first one.
  ///
  /// A prefix search can use either, because an ordered index keeps equal prefixes together.
  var indexes: [FieldIndexes] {
    switch self {
    case .equality, .distance, .members, .memberPrefix: [.queryable]
    case .range: [.sortable]
    case .words: [.searchable]
    case .prefix: [.queryable, .sortable]
    }
  }
}
