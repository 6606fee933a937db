package import CloudRecords

extension Datatype {
  /// Whether a field of this type accepts a written value.
  ///
  /// Types must be equal. A whole number without a type is also accepted as DOUBLE, since the wire
  /// format writes 3.0 as 3.
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

  /// Returns a value in the stored form of this type: whole numbers become DOUBLE, and empty lists
  /// get a member type.
  ///
  /// It also converts values that were stored as NUMBER before the preference was set. A value that
  /// the preference cannot represent does not change.
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
