import CloudRecords
package import Foundation
import PredicateLanguage

/// Translates a predicate into the server's filters, or reports what the server does not support.
///
/// ```
/// predicate                               filters
/// a == 1 AND b < 2                        a EQUALS 1, b LESS_THAN 2
/// n BETWEEN {1, 5}                        n GREATER_THAN_OR_EQUALS 1, n LESS_THAN_OR_EQUALS 5
/// state IN {"a", "b"}                     state IN ("a", "b")
/// "x" IN tags, tags CONTAINS "x",         tags LIST_CONTAINS "x"
///   ANY tags == "x"
/// ANY {"x", "y"} IN tags                  tags LIST_CONTAINS_ANY ("x", "y")
/// ALL {"x", "y"} IN tags                  tags LIST_CONTAINS_ALL ("x", "y")
/// name BEGINSWITH "A"                     name BEGINS_WITH "A"
/// ANY tags BEGINSWITH "A"                 tags LIST_MEMBER_BEGINS_WITH "A"
/// SELF CONTAINS "milk bread",             CONTAINS_ALL_TOKENS "milk bread" in all text
///   allTokens TOKENMATCHES[cdl] "milk bread"
/// title TOKENMATCHES "milk bread"         title CONTAINS_ALL_TOKENS "milk bread"
/// ANY title TOKENMATCHES "milk bread"     title CONTAINS_ANY_TOKENS "milk bread"
/// distanceToLocation:fromLocation:(p, l) < 500    p NEAR l, 500 metres
/// NOT …                                   the opposite filter, if there is one
/// ```
package enum QueryTranslation {
  /// The filters that must all match.
  package static func filters(of predicate: NSPredicate) throws -> [QueryFilter] {
    switch predicate.node {
    case .constant(true): return []
    case .comparison(let comparison): return try filters(of: comparison)
    case .and(let parts):
      return try parts.reduce(into: []) { all, part in all += try filters(of: part) }
    case .not(let part): return [try opposite(of: part, in: predicate)]
    case .constant(false): throw refusal(predicate, "matches no record")
    case .or: throw refusal(predicate, "uses OR: run a query for each part and combine the results")
    case .opaque:
      throw refusal(predicate, "uses a closure or a custom class, which the server cannot evaluate")
    }
  }

  private static func opposite(
    of part: NSPredicate, in negation: NSPredicate
  ) throws -> QueryFilter {
    let filters = try filters(of: part)
    guard filters.count == 1, let comparator = filters[0].comparator.negated else {
      throw refusal(negation, "negates a condition that has no opposite on the server")
    }
    var filter = filters[0]
    filter.comparator = comparator
    return filter
  }

  // MARK: Comparisons

  private static func filters(of comparison: NSComparisonPredicate) throws -> [QueryFilter] {
    if comparison.customSelectorName == NSComparisonPredicate.tokenMatchesSelectorName {
      return [try words(comparison)]
    }
    guard comparison.options.isEmpty else {
      throw refusal(comparison, "uses comparison options, but the server compares text exactly")
    }
    let sides = (Side(comparison.leftExpression), Side(comparison.rightExpression))
    switch (sides.0, sides.1, comparison.comparisonPredicateModifier) {
    case (.field(let name), .value(let value), .direct):
      return try direct(comparison, name, comparison.predicateOperatorType, value)
    case (.value(let value), .field(let name), .direct):
      return [try turned(comparison, value, name)]
    case (.everything, .value(.string(let words)), .direct)
    where comparison.predicateOperatorType == .contains:
      return [QueryFilter(.everything, .containsAllTokens, .string(words))]
    case (.distance(let name, let place), .value(let value), .direct):
      return [try near(comparison, name, place, value)]
    case (.field(let name), .value(let value), .any):
      return [try anyMember(comparison, name, value)]
    case (.value(.list(let members)), .field(let name), .any)
    where comparison.predicateOperatorType == .in:
      return [QueryFilter(name, .listContainsAny, .list(members))]
    case (.value(.list(let members)), .field(let name), .all)
    where comparison.predicateOperatorType == .in:
      return [QueryFilter(name, .listContainsAll, .list(members))]
    default:
      throw refusal(comparison, "does not compare a field with a value")
    }
  }

  /// A full-text search, which is always case-insensitive.
  private static func words(_ comparison: NSComparisonPredicate) throws -> QueryFilter {
    guard let name = Side(comparison.leftExpression).searched,
      case .value(let value) = Side(comparison.rightExpression), let words = value.words
    else {
      throw refusal(comparison, "searches for words in something other than a field or allTokens")
    }
    let isAny = comparison.comparisonPredicateModifier == .any
    return QueryFilter(name, isAny ? .containsAnyTokens : .containsAllTokens, .string(words))
  }

  /// `field op value`.
  private static func direct(
    _ comparison: NSComparisonPredicate, _ name: QueryFilter.Name,
    _ operation: NSComparisonPredicate.Operator,
    _ value: FieldContent
  ) throws -> [QueryFilter] {
    if let comparator = order(operation) { return [QueryFilter(name, comparator, value)] }
    switch (operation, value) {
    case (.between, .list(let bounds)) where bounds.count == 2:
      return [
        QueryFilter(name, .greaterThanOrEquals, bounds[0]),
        QueryFilter(name, .lessThanOrEquals, bounds[1]),
      ]
    case (.in, .list): return [QueryFilter(name, .in, value)]
    case (.contains, _): return [QueryFilter(name, .listContains, value)]
    case (.beginsWith, .string): return [QueryFilter(name, .beginsWith, value)]
    default: throw refusal(comparison, "uses an operator that the server does not support")
    }
  }

  /// `value op field`.
  private static func turned(
    _ comparison: NSComparisonPredicate, _ value: FieldContent, _ name: QueryFilter.Name
  ) throws -> QueryFilter {
    if comparison.predicateOperatorType == .in { return QueryFilter(name, .listContains, value) }
    guard let comparator = order(comparison.predicateOperatorType) else {
      throw refusal(
        comparison, "has the field on the right side of an operator that requires it on the left")
    }
    return QueryFilter(name, comparator.mirrored, value)
  }

  private static func near(
    _ comparison: NSComparisonPredicate, _ name: QueryFilter.Name, _ place: FieldContent,
    _ value: FieldContent
  ) throws -> QueryFilter {
    let isWithin = [.lessThan, .lessThanOrEqualTo].contains(comparison.predicateOperatorType)
    guard isWithin, let metres = value.number else {
      throw refusal(
        comparison, "does not compare a distance by “less than” with a number of metres")
    }
    return QueryFilter(name, .near, place, distance: metres)
  }

  /// `ANY field op value`.
  private static func anyMember(
    _ comparison: NSComparisonPredicate, _ name: QueryFilter.Name, _ value: FieldContent
  ) throws -> QueryFilter {
    switch (comparison.predicateOperatorType, value) {
    case (.equalTo, _): return QueryFilter(name, .listContains, value)
    case (.in, .list): return QueryFilter(name, .listContainsAny, value)
    case (.beginsWith, .string): return QueryFilter(name, .listMemberBeginsWith, value)
    default:
      throw refusal(
        comparison, "compares a list's elements in a way that the server does not support")
    }
  }

  private static func order(_ operation: NSComparisonPredicate.Operator) -> FilterComparator? {
    switch operation {
    case .equalTo: .equals
    case .notEqualTo: .notEquals
    case .lessThan: .lessThan
    case .lessThanOrEqualTo: .lessThanOrEquals
    case .greaterThan: .greaterThan
    case .greaterThanOrEqualTo: .greaterThanOrEquals
    default: nil
    }
  }

  private static func refusal(_ predicate: NSPredicate, _ reason: String) -> CKError {
    CKError(
      .invalidArguments,
      userInfo: [
        NSLocalizedDescriptionKey:
          "The server does not support “\(predicate.formatText)”, which \(reason)."
      ])
  }
}

extension QueryTranslation {
  /// One side of a comparison.
  fileprivate enum Side {
    case field(QueryFilter.Name)
    case value(FieldContent)
    /// The record itself: all its text.
    case everything
    /// The distance of a location field from a location.
    case distance(QueryFilter.Name, FieldContent)
    case other

    init(_ expression: NSExpression) {
      switch expression.node {
      case .keyPath(let path) where path.components.count == 1:
        self = .field(QueryFilter.Name(path.text))
      case .evaluatedObject: self = .everything
      case .constant, .aggregate: self = FieldContent(expression).map { .value($0) } ?? .other
      case .function(_, "distanceToLocation:fromLocation:", let arguments):
        self = Self.distance(arguments)
      default: self = .other
      }
    }

    /// The field to search for words.
    var searched: QueryFilter.Name? {
      switch self {
      case .everything, .field(.field("allTokens")): .everything
      case .field(let name): name
      default: nil
      }
    }

    private static func distance(_ arguments: [NSExpression]) -> Side {
      guard arguments.count == 2 else { return .other }
      switch (Side(arguments[0]), Side(arguments[1])) {
      case (.field(let name), .value(let place)) where place.isPlace: return .distance(name, place)
      case (.value(let place), .field(let name)) where place.isPlace: return .distance(name, place)
      default: return .other
      }
    }
  }
}

extension FilterComparator {
  /// The comparator for exchanged sides.
  fileprivate var mirrored: FilterComparator {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEquals: .greaterThanOrEquals
    case .greaterThan: .lessThan
    case .greaterThanOrEquals: .lessThanOrEquals
    default: self
    }
  }
}

extension FieldContent {
  /// The value of a constant.
  ///
  /// A record represents a reference to itself.
  fileprivate init?(_ expression: NSExpression) {
    switch expression.node {
    case .constant(let record as CKRecord):
      self = .reference(CKRecord.Reference(record: record, action: .none))
    case .constant(let name as CKRecord.ID):
      self = .reference(CKRecord.Reference(recordID: name, action: .none))
    case .constant(let values as [Any]):
      self.init(list: values.map { NSExpression(forConstantValue: $0) })
    case .constant(let value?): self.init(value)
    case .aggregate(let members): self.init(list: members)
    default: return nil
    }
  }

  private init?(list members: [NSExpression]) {
    let contents = members.compactMap { FieldContent($0) }
    guard contents.count == members.count else { return nil }
    self.init(contents.map(\.value) as [Any])
  }

  /// The words to search for, from a string or a list of strings.
  fileprivate var words: String? {
    switch self {
    case .string(let text): return text
    case .list(let members):
      let words = members.compactMap(\.words)
      return words.count == members.count ? words.joined(separator: " ") : nil
    default: return nil
    }
  }

  fileprivate var isPlace: Bool {
    if case .location = self { true } else { false }
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}
