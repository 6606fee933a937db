import CloudRecords

/// What a comparator asks of a field: values that it can compare, and an index.
enum FilterRule {
  /// Same or not, alone or among several.
  case equality
  /// Before or after.
  case range
  /// Within a distance.
  case distance
  /// Words of a text.
  case words
  /// Members of the field's list.
  case members
  /// The beginning of a text.
  case prefix
  /// The beginning of a member.
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

  /// Whether values of a datatype can be compared so.
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

  /// Indexes of which one is enough; the first is the one to ask for.
  ///
  /// A prefix is found by either: texts that begin alike stand together in order.
  var indexes: [FieldIndexes] {
    switch self {
    case .equality, .distance, .members, .memberPrefix: [.queryable]
    case .range: [.sortable]
    case .words: [.searchable]
    case .prefix: [.queryable, .sortable]
    }
  }
}
