import CloudRecords

/// A record's value, with lazily cached forms for comparisons.
struct QueriedValue {
  /// The value; nil if the record has none, or for the words of several fields.
  let value: FieldValue?
  /// The values that are searched for words.
  private let searched: [FieldValue?]
  private(set) lazy var key = value.flatMap { QueryKey($0) }
  /// The members of a list.
  private(set) lazy var members = Set(Self.members(of: value).compactMap { QueryKey($0) })
  private(set) lazy var words = Set(searched.flatMap { Self.words(of: $0) })

  init(_ subject: RecordFilter.Subject, of record: StoredRecord) {
    switch subject {
    case .words(let fields):
      value = nil
      searched = fields.map { record.fields[$0]?.value }
    case .field(let name):
      value = record.fields[name]?.value
      searched = [value]
    case .system(let field):
      value = record.value(of: field)
      searched = [value]
    }
  }

  static func members(of value: FieldValue?) -> [FieldValue] {
    if case .list(_, let members)? = value { members } else { [] }
  }

  /// The words of a text: case-insensitive runs of letters and digits.
  static func words(of value: FieldValue?) -> [String] {
    switch value {
    case .string(let text)?:
      text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    case .list(of: .string, let members)?: members.flatMap { words(of: $0) }
    default: []
    }
  }
}

extension StoredRecord {
  /// The value of a system field; nil if the record has no parent or share.
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
