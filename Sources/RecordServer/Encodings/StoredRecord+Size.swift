import BinaryCoding
import CloudRecords

extension StoredRecord {
  /// An upper bound of the encoded size, computed without encoding.
  ///
  /// It exceeds the size by some bytes per part. For shares, which are few, it is `Int.max`.
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

  /// The approximate encoded size.
  ///
  /// Shares are encoded to measure them.
  var likelyBytes: Int { share == nil ? mostBytes : StoredEntry.record(self).bytes.count }

  /// The record with only the given fields.
  func keeping(_ names: Set<String>) -> StoredRecord {
    var kept = self
    kept.fields = RecordFields(sorted: fields.entries.filter { names.contains($0.name) })
    kept.sealed = sealed.keeping(names)
    return kept
  }

  /// The record without its fields and, if it is a share, without participants.
  var outline: StoredRecord {
    var outline = self
    outline.fields = RecordFields()
    outline.sealed = SealedFields()
    outline.share?.participants = []
    outline.share?.requests = ShareRequests()
    return outline
  }

  /// The number of bytes that sealing adds to the record.
  ///
  /// Clients do not know them, so they do not count towards the limits of a record.
  var sealingBytes: Int {
    guard !sealed.isEmpty else { return 0 }
    var form = BinaryWriter(capacity: 16 + 10 * sealed.entries.count)
    form.count(sealed.entries.count)
    for field in sealed { form.count(field.bytes.count) }
    return form.bytes.count + sealed.entries.count * ValueSealer.overheadByteCount
  }

  /// The maximum size of a number, or of a length with a marker.
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
  /// The estimated encoded size: an upper bound for records other than shares, which are few.
  var mostBytes: Int {
    guard case .record(let record) = self, record.share == nil else { return 512 }
    return record.mostBytes
  }
}
