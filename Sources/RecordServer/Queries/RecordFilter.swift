import CloudRecords
import CloudSchema
import CloudWire

/// A filter of a query, validated against the schema and prepared for matching.
struct RecordFilter: Sendable {
  /// The part of a record that the filter compares.
  enum Subject: Hashable, Sendable, CustomStringConvertible {
    case field(String)
    case system(SystemField)
    /// The words of these fields.
    case words([String])

    var description: String {
      switch self {
      case .field(let name): "“\(name)”"
      case .system(let field): "“\(field.rawValue)”"
      case .words: "all searchable fields"
      }
    }
  }

  let subject: Subject
  let comparator: FilterComparator
  let value: FieldValue?
  /// Metres, for `near`.
  let distance: Double
  /// The keys of the members of the filter's list, or of the one member to look for.
  private let wanted: Set<QueryKey>
  /// Whether each of those members has a key; a value without one equals nothing.
  private let isEachComparable: Bool
  /// The words to find.
  private let words: Set<String>
  /// The number of members of the filter's list, or of words to find.
  let valueCount: Int

  init(_ input: QueryInput.Filter, type: RecordTypeDefinition) throws(CloudError) {
    guard let comparator = FilterComparator(wireName: input.comparator) else {
      throw CloudError(
        .badRequest,
        "There is no comparator \(input.comparator.cut(toBytes: 64)). The comparators are \(FilterComparator.allCases.map(\.rawValue).joined(separator: ", "))."
      )
    }
    if comparator.searchesWords, input.name == .field("") {
      let subject = Subject.words(try type.checkSearch().map(\.name))
      let value = try Self.value(input.value, of: .plain(.string), comparator, "", type.name)
      try self.init(subject, comparator, value, distance: 0)
      return
    }
    let name: QueriedName =
      switch input.name {
      case .field(let name): .field(name)
      case .system(let name): .system(name)
      }
    let field = try type.checkFilter(on: name, by: comparator)
    let subject: Subject =
      switch field.source {
      case .system(let system): .system(system)
      case .defined(let name): .field(name)
      }
    let value = try Self.value(input.value, of: field.datatype, comparator, field.name, type.name)
    let distance = input.distance ?? 0
    if comparator == .near, !(distance > 0 && distance.isFinite) {
      throw CloudError(
        .badRequest, "NEAR on “\(field.name)” needs a distance in metres that is greater than 0.")
    }
    try self.init(subject, comparator, value, distance: distance)
  }

  /// Prepares the values to compare with, once for all records.
  private init(
    _ subject: Subject, _ comparator: FilterComparator, _ value: FieldValue?, distance: Double
  ) throws(CloudError) {
    (self.subject, self.comparator, self.value, self.distance) = (
      subject, comparator, value, distance
    )
    if comparator.searchesWords {
      try Self.checkSearched(value, comparator, subject)
      let words = QueriedValue.words(of: value)
      (self.words, valueCount, wanted, isEachComparable) = (Set(words), words.count, [], true)
      return
    }
    let members = QueriedValue.members(of: value)
    let compared = comparator.looksForOneMember ? [value].compactMap(\.self) : members
    let keys = compared.map { QueryKey($0) }
    (words, valueCount) = ([], members.count)
    wanted = Set(keys.compactMap(\.self))
    isEachComparable = keys.allSatisfy { $0 != nil }
  }

  /// Throws if the text of a word search is too long.
  private static func checkSearched(
    _ value: FieldValue?, _ comparator: FilterComparator, _ subject: Subject
  ) throws(CloudError) {
    guard case .string(let text)? = value, text.utf8.count > ServerLimits.searchedTextBytes else {
      return
    }
    throw CloudError(
      .badRequest,
      "The text of the filter \(comparator.rawValue) on \(subject) has \(text.utf8.count) bytes; at most \(ServerLimits.searchedTextBytes) are allowed.",
      extension: .limitExceeded)
  }

  /// Throws if a list's type is not explicit, as Apple's servers do.
  private static func checkIsStated(
    _ input: FieldInput, _ comparator: FilterComparator, _ field: String
  ) throws(CloudError) {
    if case .stated = input.content { return }
    throw CloudError(
      .badRequest,
      "Unexpected input: the filter \(comparator.rawValue) on “\(field)” needs the type of its list, such as INT64_LIST."
    )
  }

  /// Converts the value to the type that the comparison needs.
  private static func value(
    _ input: FieldInput, of datatype: Datatype, _ comparator: FilterComparator, _ field: String,
    _ recordType: String
  ) throws(CloudError) -> FieldValue? {
    if input.content == .clear {
      // Equality also compares with a missing value.
      if comparator == .equals || comparator == .notEquals { return nil }
      throw CloudError(
        .badRequest, "The filter \(comparator.rawValue) on “\(field)” needs a value.")
    }
    if comparator == .in || comparator == .notIn { try checkIsStated(input, comparator, field) }
    let types = Self.types(of: datatype).map(comparator.operand)
    for type in types {
      if let value = input.value(as: type) { return value }
    }
    // Integers and doubles are comparable.
    let numbers: Set<FieldType> = [.int64, .double]
    if let number = input.anyValue, numbers.contains(number.type), !numbers.isDisjoint(with: types)
    {
      return number
    }
    let wanted = types.map(\.name).joined(separator: " or ")
    throw CloudError(
      .badRequest,
      "The value of the filter \(comparator.rawValue) on “\(field)” of record type “\(recordType)” must be of type \(wanted)."
    )
  }

  /// The possible types of a field's values: a number of unknown type may be either.
  private static func types(of datatype: Datatype) -> [FieldType] {
    if let type = datatype.fieldType { return [type] }
    return datatype.isList ? [.int64List, .doubleList] : [.int64, .double]
  }
}

extension FieldInput {
  /// The value with its given or inferred type.
  fileprivate var anyValue: FieldValue? {
    switch content {
    case .stated(let value), .inferred(let value): value
    case .clear, .emptyList: nil
    }
  }
}

extension FilterComparator {
  /// Whether the comparison searches for the words of a text.
  var searchesWords: Bool { self == .containsAllTokens || self == .containsAnyTokens }

  /// Whether the comparison searches for one value in a list.
  fileprivate var looksForOneMember: Bool { self == .listContains || self == .notListContains }

  /// The type of the value that a comparison with a field needs.
  fileprivate func operand(of field: FieldType) -> FieldType {
    switch self {
    case .in, .notIn: field.list ?? field
    case .listContains, .notListContains, .listMemberBeginsWith, .notListMemberBeginsWith:
      field.member ?? field
    case .containsAllTokens, .containsAnyTokens, .beginsWith, .notBeginsWith: .string
    default: field
    }
  }
}

// MARK: - Matching

extension RecordFilter {
  /// Whether a record with this value passes the filter.
  func passes(_ found: inout QueriedValue) -> Bool {
    switch comparator {
    case .equals: return isEqual(found.value)
    case .notEquals: return !isEqual(found.value)
    case .lessThan: return order(found.value).map { $0 < 0 } ?? false
    case .lessThanOrEquals: return order(found.value).map { $0 <= 0 } ?? false
    case .greaterThan: return order(found.value).map { $0 > 0 } ?? false
    case .greaterThanOrEquals: return order(found.value).map { $0 >= 0 } ?? false
    case .near: return isNear(found.value)
    case .containsAllTokens: return !words.isEmpty && words.isSubset(of: found.words)
    case .containsAnyTokens: return !words.isDisjoint(with: found.words)
    case .in: return isAmong(&found)
    case .notIn: return !isAmong(&found)
    case .listContains, .listContainsAll: return containsAll(&found)
    case .notListContains, .notListContainsAll: return !containsAll(&found)
    case .listContainsAny: return !wanted.isDisjoint(with: found.members)
    case .notListContainsAny: return wanted.isDisjoint(with: found.members)
    case .beginsWith: return begins(found.value)
    case .notBeginsWith: return !begins(found.value)
    case .listMemberBeginsWith: return QueriedValue.members(of: found.value).contains(where: begins)
    case .notListMemberBeginsWith:
      return !QueriedValue.members(of: found.value).contains(where: begins)
    }
  }

  private func isEqual(_ found: FieldValue?) -> Bool {
    guard let found, let value else { return found == nil && value == nil }
    return FieldOrder.areEqual(found, value)
  }

  private func order(_ found: FieldValue?) -> Int? {
    guard let found, let value else { return nil }
    return FieldOrder.compare(found, value)
  }

  private func isNear(_ found: FieldValue?) -> Bool {
    guard case .location(let place)? = found, case .location(let centre)? = value else {
      return false
    }
    return FieldOrder.distance(place, centre) <= distance
  }

  private func isAmong(_ found: inout QueriedValue) -> Bool {
    found.key.map(wanted.contains) ?? false
  }

  private func containsAll(_ found: inout QueriedValue) -> Bool {
    found.value != nil && isEachComparable && wanted.isSubset(of: found.members)
  }

  private func begins(_ found: FieldValue?) -> Bool {
    guard case .string(let text)? = found, case .string(let start)? = value else { return false }
    return text.utf8.starts(with: start.utf8)
  }
}
