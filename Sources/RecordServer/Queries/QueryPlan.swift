import CloudRecords

/// The plan of a query in one zone: how its records are found, decided from the query and the
/// indexes alone.
///
/// Every record found is checked again, so an index may lead to more records than match, but never
/// to fewer.
struct QueryPlan: Hashable, Sendable {
  enum AccessPath: Hashable, Sendable {
    /// A scan of all entries of the zone.
    case scan
    /// A lookup of these record names.
    case names([String])
    case index(IndexSubject, [IndexRange], Order)
  }

  /// The relation of an index's order to the order of the results.
  enum Order: Hashable, Sendable {
    /// The same order: the entries have a single value, or the sort is by record name.
    case same
    /// The same order by value; records with equal values are not ordered. Records without a value
    /// come last, if at all.
    case byValue(ascending: Bool, includesNothing: Bool)
    /// Unrelated.
    case none
  }

  /// An access path with its estimated cost; lower is better.
  private struct Candidate {
    var rank: Int
    var accessPath: AccessPath

    var subject: IndexSubject? {
      if case .index(let subject, _, _) = accessPath { subject } else { nil }
    }
  }

  let accessPath: AccessPath
  /// An index that would be better.
  let suggestion: IndexSubject?

  /// Chooses how to run a query with the zone's indexes.
  ///
  /// - Parameter indexes: The subjects of the zone's indexes.
  init(_ query: ValidatedQuery, having indexes: Set<IndexSubject>) {
    let candidates = Self.candidates(query).enumerated()
      .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    let chosen = candidates.first { $0.subject.map(indexes.contains) ?? true }
    accessPath = chosen?.accessPath ?? .scan
    let best = candidates.first
    suggestion = best?.accessPath == accessPath ? nil : best?.subject
  }
}

// MARK: - Access paths

extension QueryPlan {
  private static func candidates(_ query: ValidatedQuery) -> [Candidate] {
    query.filters.compactMap { names($0) }
      + query.filters.compactMap { candidate($0, query) }
      + ranges(query) + [ordered(query)].compactMap(\.self)
  }

  /// Record names need no index.
  private static func names(_ filter: RecordFilter) -> Candidate? {
    guard filter.subject == .system(.recordIdentifier) else { return nil }
    switch (filter.comparator, filter.value) {
    case (.equals, .reference(let reference)?):
      return Candidate(rank: 0, accessPath: .names([reference.recordName]))
    case (.in, .list(_, let members)?):
      let names = members.compactMap {
        if case .reference(let reference) = $0 { reference.recordName } else { nil }
      }
      return Candidate(rank: 0, accessPath: .names(names))
    default: return nil
    }
  }

  /// The candidate that uses an index for one filter.
  private static func candidate(_ filter: RecordFilter, _ query: ValidatedQuery) -> Candidate? {
    switch filter.comparator {
    case .equals:
      guard let value = filter.value else {
        return index(filter, query, rank: 4, [IndexRange(.nothing)])
      }
      return index(filter, query, rank: 1, IndexPoint(value).map { [IndexRange($0)] })
    case .in: return index(filter, query, rank: 2, points(filter.value).map { IndexRange($0) })
    case .beginsWith:
      return index(
        filter, query, rank: 3,
        filter.value.flatMap { IndexPoint($0) }.map { [IndexRange(beginningLike: $0)] })
    case .near: return index(filter, query, rank: 5, latitudes(filter))
    case .listContains:
      return members(
        filter, query, rank: 1, filter.value.flatMap { IndexPoint($0) }.map { [IndexRange($0)] })
    case .listContainsAll:
      return members(filter, query, rank: 1, points(filter.value).first.map { [IndexRange($0)] })
    case .listContainsAny:
      return members(filter, query, rank: 2, points(filter.value).map { IndexRange($0) })
    case .listMemberBeginsWith:
      return members(
        filter, query, rank: 3,
        filter.value.flatMap { IndexPoint($0) }.map { [IndexRange(beginningLike: $0)] })
    default: return nil
    }
  }

  /// The candidates that combine the lower and upper bounds of each field.
  private static func ranges(_ query: ValidatedQuery) -> [Candidate] {
    var found: [(filter: RecordFilter, range: IndexRange)] = []
    for filter in query.filters {
      guard filter.comparator.isBound, let point = filter.value.flatMap({ IndexPoint($0) }) else {
        continue
      }
      let place = found.firstIndex { $0.filter.subject == filter.subject }
      var range = place.map { found[$0].range } ?? IndexRange(kindOf: point)
      // Values equal to an exclusive bound are found too, and dropped by the final check.
      if filter.comparator.isLowerBound { range.begin(at: point) } else { range.end(with: point) }
      if let place { found[place].range = range } else { found.append((filter, range)) }
    }
    return found.compactMap {
      index($0.filter, query, rank: 5, $0.range.isEmpty ? [] : [$0.range])
    }
  }

  /// All records of the type in the order of the results, or at least of the first sort.
  private static func ordered(_ query: ValidatedQuery) -> Candidate? {
    guard let first = query.sort.parts.first else {
      let names = IndexSubject(
        recordType: query.recordType, field: SystemField.recordIdentifier.rawValue, kind: .value)
      return Candidate(rank: 7, accessPath: .index(names, [.values], .same))
    }
    guard let field = first.key.indexedField else { return nil }
    let subject = IndexSubject(recordType: query.recordType, field: field, kind: .value)
    return Candidate(
      rank: 6,
      accessPath: .index(
        subject, [.values], .byValue(ascending: first.ascending, includesNothing: true)))
  }

  // MARK: Helpers

  private static func index(
    _ filter: RecordFilter, _ query: ValidatedQuery, rank: Int, _ ranges: [IndexRange]?
  ) -> Candidate? {
    guard let field = filter.subject.indexedField, let ranges else { return nil }
    if case .list? = filter.value, filter.comparator != .in { return nil }
    let subject = IndexSubject(recordType: query.recordType, field: field, kind: .value)
    let isOne = filter.comparator == .equals
    return Candidate(
      rank: rank, accessPath: .index(subject, ranges, order(of: field, isOne: isOne, query.sort)))
  }

  private static func members(
    _ filter: RecordFilter, _ query: ValidatedQuery, rank: Int, _ ranges: [IndexRange]?
  ) -> Candidate? {
    guard let field = filter.subject.indexedField, let ranges else { return nil }
    let subject = IndexSubject(recordType: query.recordType, field: field, kind: .members)
    let isInOrder =
      ranges.count == 1 && filter.comparator != .listMemberBeginsWith && query.sort.parts.isEmpty
    return Candidate(rank: rank, accessPath: .index(subject, ranges, isInOrder ? .same : .none))
  }

  /// Returns the order of an index's candidates, for a sort.
  ///
  /// - Parameter isOne: Whether all candidates have the same value.
  private static func order(of field: String, isOne: Bool, _ sort: RecordSort) -> Order {
    guard let first = sort.parts.first else { return isOne ? .same : .none }
    guard first.key.indexedField == field else { return .none }
    if isOne, sort.parts.count == 1 { return .same }
    return .byValue(ascending: first.ascending, includesNothing: false)
  }

  /// The distinct points of a list's members, in order.
  private static func points(_ value: FieldValue?) -> [IndexPoint] {
    guard case .list(_, let members)? = value else { return [] }
    return Set(members.compactMap { IndexPoint($0) }).sorted {
      $0.bytes.lexicographicallyPrecedes($1.bytes)
    }
  }

  /// The range of latitudes that contains all locations within a distance.
  private static func latitudes(_ filter: RecordFilter) -> [IndexRange]? {
    guard case .location(var place)? = filter.value else { return nil }
    let centre = place.latitude
    let degrees = FieldOrder.degrees(metres: filter.distance)
    place.longitude = -.infinity
    place.latitude = centre - degrees
    guard let south = IndexPoint(.location(place)) else { return nil }
    place.longitude = .infinity
    place.latitude = centre + degrees
    guard let north = IndexPoint(.location(place)) else { return nil }
    var range = IndexRange(kindOf: south)
    range.begin(at: south)
    range.end(with: north)
    return [range]
  }
}

extension FilterComparator {
  fileprivate var isLowerBound: Bool { self == .greaterThan || self == .greaterThanOrEquals }
  fileprivate var isBound: Bool { isLowerBound || self == .lessThan || self == .lessThanOrEquals }
}

extension RecordFilter.Subject {
  /// The field's name in indexes; nil if it cannot be indexed.
  fileprivate var indexedField: String? {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    case .words: nil
    }
  }
}

extension RecordSort.Key {
  /// The field's name in indexes; nil if the order is not that of its values.
  fileprivate var indexedField: String? {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    case .distance: nil
    }
  }
}
