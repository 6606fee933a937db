import BinaryCoding
import CloudRecords

extension StoredRecord {
  /// A number of bytes that the record's form does not exceed, told without making the form.
  ///
  /// It is rough by some bytes for each part, and tells nothing of shares, which are few.
  package var mostBytes: Int { share == nil ? measured { sumOfMost } : .max }

  private var sumOfMost: Int {
    var most = Self.mostOfPart * 8 + Self.most(of: recordName) + Self.most(of: recordType)
    most += Self.most(of: created) + Self.most(of: modified)
    most += Self.most(of: parentName) + Self.most(of: shareName)
    most += Self.most(of: shortIdentifier) + Self.most(of: coveringShareName)
    for share in formerShares { most += Self.most(of: share.name) + Self.mostOfPart }
    for entry in fields { most += Self.most(of: entry.name) + Self.most(of: entry.field.value) }
    for field in sealed {
      most += Self.mostOfPart + Self.most(of: field.name) + field.bytes.count + Self.mostOfPart
    }
    return most
  }

  /// What the record takes, roughly: of shares, whose size nothing tells, the form is made.
  var likelyBytes: Int { share == nil ? mostBytes : StoredEntry.record(self).bytes.count }

  /// The record with no other fields than these.
  func keeping(_ names: Set<String>) -> StoredRecord {
    var kept = self
    kept.fields = RecordFields(sorted: fields.entries.filter { names.contains($0.name) })
    kept.sealed = sealed.keeping(names)
    return kept
  }

  /// The record without its fields, and as a share without people.
  var outline: StoredRecord {
    var outline = self
    outline.fields = RecordFields()
    outline.sealed = SealedFields()
    outline.share?.participants = []
    outline.share?.requests = ShareRequests()
    return outline
  }

  /// How many bytes of the record's form are there since values are sealed.
  ///
  /// Clients know nothing of them: what they may put into a record is counted without.
  var sealingBytes: Int {
    guard !sealed.isEmpty else { return 0 }
    var form = BinaryWriter(capacity: 16 + 10 * sealed.entries.count)
    form.count(sealed.entries.count)
    for field in sealed { form.count(field.bytes.count) }
    return form.bytes.count + sealed.entries.count * ValueSealer.overheadByteCount
  }

  /// What a number takes, or a length with a mark before it.
  private static let mostOfPart = 16

  private static func most(of text: String) -> Int { text.utf8.count + mostOfPart }

  private static func most(of text: String?) -> Int { text.map { most(of: $0) } ?? 0 }

  private static func most(of stamp: RecordStamp) -> Int {
    most(of: stamp.userRecordName) + most(of: stamp.deviceIdentifier)
  }

  static func most(of value: FieldValue) -> Int {
    switch value {
    case .string(let text): most(of: text)
    case .int64, .double, .timestamp: mostOfPart
    case .bytes(let bytes): bytes.count + mostOfPart
    case .reference(let reference):
      most(of: reference.recordName) + most(of: reference.zone?.zoneName ?? "")
        + most(of: reference.zone?.ownerName ?? "")
    case .asset(let asset):
      most(of: asset.fileChecksum) + most(of: asset.referenceChecksum ?? "")
        + most(of: asset.wrappingKey ?? "")
        + mostOfPart
    case .location: 8 * mostOfPart
    case .list(_, let members): members.reduce(mostOfPart) { $0 + most(of: $1) }
    }
  }
}

extension StoredEntry {
  /// Room for the entry's form; shares, which are few, may need more.
  var mostBytes: Int {
    guard case .record(let record) = self, record.share == nil else { return 512 }
    return record.mostBytes
  }
}
