package import CloudRecords

/// One comparison of a field with a value, as the server evaluates it.
package struct QueryFilter: Equatable, Sendable {
  /// The left side of a comparison.
  package enum Name: Equatable, Sendable {
    case field(String)
    case system(SystemField)
    /// All text of the record, for full-text search.
    case everything
  }

  package var comparator: FilterComparator
  package var name: Name
  var value: FieldContent
  /// The distance in metres, for comparisons with locations.
  package var distance: Double?

  init(_ name: Name, _ comparator: FilterComparator, _ value: FieldContent, distance: Double? = nil)
  {
    self.comparator = comparator
    self.name = name
    self.value = value
    self.distance = distance
  }

  /// The value as error messages show it, with lists in brackets.
  package var shownValue: String {
    guard case .list(let members) = value else { return "\(value.value)" }
    return "[\(members.map { "\($0.value)" }.joined(separator: ", "))]"
  }
}

extension QueryFilter.Name {
  /// The field that a key of a predicate or sort descriptor denotes.
  init(_ key: String) {
    switch key {
    case "recordID": self = .system(.recordIdentifier)
    case "creationDate": self = .system(.createdTime)
    case "creatorUserRecordID": self = .system(.createdBy)
    case "modificationDate": self = .system(.modifiedTime)
    case "lastModifiedUserRecordID": self = .system(.modifiedBy)
    default: self = SystemField(rawValue: key).map { .system($0) } ?? .field(key)
    }
  }
}

extension FilterComparator {
  /// The opposite comparator; nil if the server has none.
  var negated: FilterComparator? {
    switch self {
    case .equals: .notEquals
    case .notEquals: .equals
    case .in: .notIn
    case .notIn: .in
    case .listContains: .notListContains
    case .notListContains: .listContains
    case .listContainsAll: .notListContainsAll
    case .notListContainsAll: .listContainsAll
    case .listContainsAny: .notListContainsAny
    case .notListContainsAny: .listContainsAny
    case .beginsWith: .notBeginsWith
    case .notBeginsWith: .beginsWith
    case .listMemberBeginsWith: .notListMemberBeginsWith
    case .notListMemberBeginsWith: .listMemberBeginsWith
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .near,
      .containsAllTokens,
      .containsAnyTokens:
      nil
    }
  }
}
