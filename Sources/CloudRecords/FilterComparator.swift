/// The comparison of a field with a value in a query's filter.
///
/// The raw value is the name on the wire.
package enum FilterComparator: String, CaseIterable, Hashable, Sendable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  /// The field's location is within a distance of another.
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  /// The field's value is an element of the given list.
  case `in` = "IN"
  case notIn = "NOT_IN"
  /// The field's list contains the given value.
  case listContains = "LIST_CONTAINS"
  case notListContains = "NOT_LIST_CONTAINS"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

  /// Creates a comparator from its name on the wire; nil for an unknown name.
  ///
  /// Some clients write `CONTAINS_ANY` for `LIST_CONTAINS_ANY`.
  package init?(wireName: String) {
    self.init(rawValue: wireName == "CONTAINS_ANY" ? "LIST_CONTAINS_ANY" : wireName)
  }
}
