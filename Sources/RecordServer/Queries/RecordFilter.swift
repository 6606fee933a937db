import CloudRecords
import CloudSchema
import CloudWire

/// One condition of a query, checked against the schema and ready to be asked of records.
struct RecordFilter: Sendable {
  /// What of a record is looked at.
  enum Subject: Hashable, Sendable {
    case field(String)
    case system(SystemField)
    /// The words of these fields.
    case words([String])
  }

  let subject: Subject
  let comparator: FilterComparator
  let value: FieldValue?
  /// Metres, for `near`.
  let distance: Double

  init(_ input: QueryInput.Filter, type: RecordTypeDefinition) throws(CloudError) {
    guard let comparator = FilterComparator(wireName: input.comparator) else {
      throw CloudError(
        .badRequest,
        "There is no comparator \(input.comparator.cut(toBytes: 64)). The comparators are \(FilterComparator.allCases.map(\.rawValue).joined(separator: ", "))."
      )
    }
    self.comparator = comparator
    if comparator == .containsAllTokens || comparator == .containsAnyTokens, input.name == .field("") {
      subject = .words(try type.checkSearch().map(\.name))
      value = try Self.value(input.value, of: .plain(.string), comparator, "", type.name)
      distance = 0
      return
    }
    let name: QueriedName =
      switch input.name {
      case .field(let name): .field(name)
      case .system(let name): .system(name)
      }
    let field = try type.checkFilter(on: name, by: comparator)
    switch field.source {
    case .system(let system): subject = .system(system)
    case .defined(let name): subject = .field(name)
    }
    value = try Self.value(input.value, of: field.datatype, comparator, field.name, type.name)
    distance = input.distance ?? 0
    if comparator == .near, !(distance > 0 && distance.isFinite) {
      throw CloudError(.badRequest, "NEAR on “\(field.name)” needs a distance in metres that is greater than 0.")
    }
  }

  /// The type of a list of values has to be said, as by clients of Apple's servers.
  private static func checkIsStated(
    _ input: FieldInput, _ comparator: FilterComparator, _ field: String
  ) throws(CloudError) {
    if case .stated = input.content { return }
    throw CloudError(
      .badRequest,
      "Unexpected input: the filter \(comparator.rawValue) on “\(field)” needs the type of its list, such as INT64_LIST."
    )
  }

  /// The value to compare with, in the type that the comparison needs.
  private static func value(
    _ input: FieldInput, of datatype: Datatype, _ comparator: FilterComparator, _ field: String, _ recordType: String
  ) throws(CloudError) -> FieldValue? {
    if input.content == .clear {
      // Having no value can be asked for by equality.
      if comparator == .equals || comparator == .notEquals { return nil }
      throw CloudError(.badRequest, "The filter \(comparator.rawValue) on “\(field)” needs a value.")
    }
    if comparator == .in || comparator == .notIn { try checkIsStated(input, comparator, field) }
    let types = Self.types(of: datatype).map(comparator.operand)
    for type in types {
      if let value = input.value(as: type) { return value }
    }
    // Whole numbers and fractions compare with each other.
    let numbers: Set<FieldType> = [.int64, .double]
    if let number = input.anyValue, numbers.contains(number.type), !numbers.isDisjoint(with: types) { return number }
    let wanted = types.map(\.name).joined(separator: " and no ")
    throw CloudError(
      .badRequest,
      "The value of the filter \(comparator.rawValue) on “\(field)” of record type “\(recordType)” is no \(wanted).")
  }

  /// What values of a field may be: a number without a preference is either.
  private static func types(of datatype: Datatype) -> [FieldType] {
    if let type = datatype.fieldType { return [type] }
    return datatype.isList ? [.int64List, .doubleList] : [.int64, .double]
  }
}

extension FieldInput {
  /// The value, in the type that the client gave it or that it looks like.
  fileprivate var anyValue: FieldValue? {
    switch content {
    case .stated(let value), .inferred(let value): value
    case .clear, .emptyList: nil
    }
  }
}

extension FilterComparator {
  /// The type of the value that a comparison with a field needs.
  fileprivate func operand(of field: FieldType) -> FieldType {
    switch self {
    case .in, .notIn: field.list ?? field
    case .listContains, .notListContains, .listMemberBeginsWith, .notListMemberBeginsWith: field.member ?? field
    case .containsAllTokens, .containsAnyTokens, .beginsWith, .notBeginsWith: .string
    default: field
    }
  }
}

// MARK: - Asking

extension RecordFilter {
  /// Whether a record passes.
  func passes(_ record: StoredRecord) -> Bool {
    switch subject {
    case .words(let fields): return passes(words: fields.flatMap { Self.words(of: record.fields[$0]?.value) })
    case .field(let name): return passes(record.fields[name]?.value)
    case .system(let field): return passes(record.value(of: field))
    }
  }

  private func passes(_ found: FieldValue?) -> Bool {
    switch comparator {
    case .equals: return isEqual(found)
    case .notEquals: return !isEqual(found)
    case .lessThan: return order(found).map { $0 < 0 } ?? false
    case .lessThanOrEquals: return order(found).map { $0 <= 0 } ?? false
    case .greaterThan: return order(found).map { $0 > 0 } ?? false
    case .greaterThanOrEquals: return order(found).map { $0 >= 0 } ?? false
    case .near: return isNear(found)
    case .containsAllTokens, .containsAnyTokens: return passes(words: Self.words(of: found))
    case .in: return isAmong(found)
    case .notIn: return !isAmong(found)
    case .listContains: return contains(found, [value].compactMap(\.self), all: true)
    case .notListContains: return !contains(found, [value].compactMap(\.self), all: true)
    case .listContainsAll: return contains(found, members, all: true)
    case .notListContainsAll: return !contains(found, members, all: true)
    case .listContainsAny: return contains(found, members, all: false)
    case .notListContainsAny: return !contains(found, members, all: false)
    case .beginsWith: return begins(found)
    case .notBeginsWith: return !begins(found)
    case .listMemberBeginsWith: return Self.members(of: found).contains(where: begins)
    case .notListMemberBeginsWith: return !Self.members(of: found).contains(where: begins)
    }
  }

  private static func members(of value: FieldValue?) -> [FieldValue] {
    if case .list(_, let members)? = value { members } else { [] }
  }

  private var members: [FieldValue] { Self.members(of: value) }

  private func isEqual(_ found: FieldValue?) -> Bool {
    guard let found, let value else { return found == nil && value == nil }
    return FieldOrder.areEqual(found, value)
  }

  private func order(_ found: FieldValue?) -> Int? {
    guard let found, let value else { return nil }
    return FieldOrder.compare(found, value)
  }

  private func isNear(_ found: FieldValue?) -> Bool {
    guard case .location(let place)? = found, case .location(let centre)? = value else { return false }
    return FieldOrder.distance(place, centre) <= distance
  }

  private func isAmong(_ found: FieldValue?) -> Bool {
    guard let found else { return false }
    return members.contains { FieldOrder.areEqual($0, found) }
  }

  private func contains(_ found: FieldValue?, _ wanted: [FieldValue], all: Bool) -> Bool {
    let present = Self.members(of: found)
    func isThere(_ value: FieldValue) -> Bool { present.contains { FieldOrder.areEqual($0, value) } }
    return all ? wanted.allSatisfy(isThere) && found != nil : wanted.contains(where: isThere)
  }

  private func begins(_ found: FieldValue?) -> Bool {
    guard case .string(let text)? = found, case .string(let start)? = value else { return false }
    return text.utf8.starts(with: start.utf8)
  }

  private func passes(words present: [String]) -> Bool {
    let wanted = Self.words(of: value)
    let known = Set(present)
    return comparator == .containsAllTokens
      ? !wanted.isEmpty && wanted.allSatisfy(known.contains) : wanted.contains(where: known.contains)
  }

  /// The words of a text: letters and digits between everything else, without regard to case.
  private static func words(of value: FieldValue?) -> [String] {
    switch value {
    case .string(let text)?:
      text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    case .list(of: .string, let members)?: members.flatMap { words(of: $0) }
    default: []
    }
  }
}

extension StoredRecord {
  /// What every record has, as a value.
  func value(of field: SystemField) -> FieldValue? {
    switch field {
    case .recordIdentifier: .reference(RecordReference(recordName: recordName))
    case .createdTime: .timestamp(created.time)
    case .modifiedTime: .timestamp(modified.time)
    case .createdBy: .reference(RecordReference(recordName: created.userRecordName))
    case .modifiedBy: .reference(RecordReference(recordName: modified.userRecordName))
    case .parent: parentName.map { .reference(RecordReference(recordName: $0)) }
    case .share: shareName.map { .reference(RecordReference(recordName: $0)) }
    case .changeTag: .string(RecordTag.text(tag))
    }
  }
}
