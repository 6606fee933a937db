package import CloudRecords

extension Datatype {
  /// Whether a field of this type takes what was written.
  ///
  /// Types must be the same. A whole number without a type is taken for a DOUBLE as well, since 3.0
  /// is 3 on the wire.
  func takes(_ written: WrittenField) -> Bool {
    switch written.type {
    case .null: true
    case .sealed: isEncrypted
    case .emptyList: isList
    case .named(let type): isEncrypted == written.isEncrypted && takes(type)
    case .inferred(let type) where isEncrypted || written.isEncrypted:
      isEncrypted && written.isEncrypted && fieldType == .bytes && type == .bytes
    case .inferred(let type):
      takes(type) || Self.wholeNumbersFit[type] == fieldType && fieldType != nil
    }
  }

  private func takes(_ type: FieldType) -> Bool {
    switch self {
    case .number(preferred: nil): type == .int64 || type == .double
    case .numberList(preferred: nil): type == .int64List || type == .doubleList
    default: type == fieldType
    }
  }

  private static let wholeNumbersFit: [FieldType: FieldType] = [
    .int64: .double, .int64List: .doubleList,
  ]

  /// A value in the form in which a field of this type stores it: whole numbers become DOUBLE,
  /// empty lists get their members' type.
  ///
  /// It also serves values that were stored as a NUMBER before it had a preference; one that the
  /// preference cannot hold stays as it was.
  package func stored(_ value: FieldValue) -> FieldValue {
    switch (value, fieldType) {
    case (.int64(let number), .double): .double(Double(number))
    case (.double(let number), .int64): Int64(exactly: number).map(FieldValue.int64) ?? value
    case (.list(_, let members), .some(let type)): Self.stored(members, of: type.member) ?? value
    default: value
    }
  }

  private static func stored(_ members: [FieldValue], of member: FieldType?) -> FieldValue? {
    guard let member else { return nil }
    let stored = members.map { plain(member).stored($0) }
    return stored.allSatisfy { $0.type == member } ? .list(of: member, stored) : nil
  }
}
