import CloudRecords

extension StoredRecord {
  /// A number of bytes that the record's form does not exceed, told without making the form.
  ///
  /// It is rough by some bytes for each part, and tells nothing of shares, which are few.
  package var mostBytes: Int {
    guard share == nil else { return .max }
    let names = [parentName, shareName, shortIdentifier, coveringShareName].compactMap { $0 } + formerShareNames
    let texts = [
      recordName, recordType, created.userRecordName, created.deviceIdentifier, modified.userRecordName,
      modified.deviceIdentifier,
    ]
    return fields.reduce(Self.mostOfPart * 8) { $0 + Self.most(of: $1.name) + Self.most(of: $1.field.value) }
      + (texts + names).reduce(0) { $0 + Self.most(of: $1) }
  }

  /// What a number takes, or a length with a mark before it.
  private static let mostOfPart = 16

  private static func most(of text: String) -> Int { text.utf8.count + mostOfPart }

  private static func most(of value: FieldValue) -> Int {
    switch value {
    case .string(let text): most(of: text)
    case .int64, .double, .timestamp: mostOfPart
    case .bytes(let bytes): bytes.count + mostOfPart
    case .reference(let reference):
      most(of: reference.recordName) + most(of: reference.zone?.zoneName ?? "")
        + most(of: reference.zone?.ownerName ?? "")
    case .asset(let asset):
      most(of: asset.fileChecksum) + most(of: asset.referenceChecksum ?? "") + most(of: asset.wrappingKey ?? "")
        + mostOfPart
    case .location: 8 * mostOfPart
    case .list(_, let members): members.reduce(mostOfPart) { $0 + most(of: $1) }
    }
  }
}
