package import CloudRecords

/// What lies at a position of a zone: a record, or what is left of one.
package enum StoredEntry: Hashable, Sendable {
  case record(StoredRecord)
  case tombstone(Tombstone)

  package var recordName: String {
    switch self {
    case .record(let record): record.recordName
    case .tombstone(let tombstone): tombstone.recordName
    }
  }
}

/// A record as it is stored.
///
/// Its zone is part of its key.
package struct StoredRecord: Hashable, Sendable {
  package var recordName: String
  package var recordType: String
  /// The position at which the record was last changed by somebody.
  ///
  /// It lies behind the record's position after its standing in a share changed.
  package var tag: UInt64
  package var created: RecordStamp
  package var modified: RecordStamp
  package var fields: RecordFields
  package var parentName: String?
  /// The share that was made for this record.
  package var shareName: String?
  package var shortIdentifier: String?
  /// The hierarchical share that the record belongs to, by itself or by its ancestors.
  package var coveringShareName: String?
  /// Shares that covered the record once: their participants are told that it is gone.
  package var formerShareNames: [String] = []
  /// What makes the record a share.
  package var share: ShareDetails?

  package init(
    recordName: String, recordType: String, tag: UInt64, created: RecordStamp, modified: RecordStamp,
    fields: RecordFields
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.tag = tag
    self.created = created
    self.modified = modified
    self.fields = fields
  }
}

/// What is left of a record that was deleted, so that feeds can tell.
package struct Tombstone: Hashable, Sendable {
  package var recordName: String
  package var recordType: String
  package var deleted: Timestamp
  /// Shares whose participants have seen the record.
  package var shareNames: [String]

  package init(recordName: String, recordType: String, deleted: Timestamp, shareNames: [String]) {
    self.recordName = recordName
    self.recordType = recordType
    self.deleted = deleted
    self.shareNames = shareNames
  }
}

// MARK: - The form

extension StoredEntry {
  /// The first byte of a stored entry.
  ///
  /// A form never changes; a new one gets a new number.
  private enum Form: UInt8 {
    case record = 1
    case tombstone = 2
  }

  package var bytes: [UInt8] {
    var form = FormWriter(capacity: 512)
    switch self {
    case .record(let record):
      form.byte(Form.record.rawValue)
      record.write(to: &form)
    case .tombstone(let tombstone):
      form.byte(Form.tombstone.rawValue)
      form.text(tombstone.recordName)
      form.text(tombstone.recordType)
      form.signed(tombstone.deleted.milliseconds)
      form.texts(tombstone.shareNames)
    }
    return form.bytes
  }

  /// The type of a record, without reading the rest; nil for a tombstone.
  static func recordType(in bytes: [UInt8]) throws -> String? {
    var form = FormReader(bytes)
    guard try form.byte() == Form.record.rawValue else { return nil }
    try form.skipText()
    return try form.text()
  }

  package init(bytes: [UInt8]) throws {
    var form = FormReader(bytes)
    switch Form(rawValue: try form.byte()) {
    case .record: self = .record(try StoredRecord(from: &form))
    case .tombstone:
      let (name, type) = (try form.text(), try form.text())
      let deleted = Timestamp(milliseconds: try form.signed())
      self = .tombstone(
        Tombstone(recordName: name, recordType: type, deleted: deleted, shareNames: try form.texts()))
    case nil: throw form.damage("an unknown form of record")
    }
    guard form.isAtEnd else { throw form.damage("bytes behind the end of a record") }
  }
}

extension StoredRecord {
  fileprivate func write(to form: inout FormWriter) {
    form.text(recordName)
    form.text(recordType)
    form.number(tag)
    form.stamp(created)
    form.stamp(modified)
    form.optional(parentName) { $0.text($1) }
    form.optional(shareName) { $0.text($1) }
    form.optional(shortIdentifier) { $0.text($1) }
    form.optional(coveringShareName) { $0.text($1) }
    form.texts(formerShareNames)
    form.optional(share) { ShareForm.write($1, to: &$0) }
    FieldForm.write(fields, to: &form)
  }

  fileprivate init(from form: inout FormReader) throws(FormDamage) {
    recordName = try form.text()
    recordType = try form.text()
    tag = try form.number()
    created = try form.stamp()
    modified = try form.stamp()
    parentName = try form.optional { (form) throws(FormDamage) in try form.text() }
    shareName = try form.optional { (form) throws(FormDamage) in try form.text() }
    shortIdentifier = try form.optional { (form) throws(FormDamage) in try form.text() }
    coveringShareName = try form.optional { (form) throws(FormDamage) in try form.text() }
    formerShareNames = try form.texts()
    share = try form.optional { (form) throws(FormDamage) in try ShareForm.read(from: &form) }
    fields = try FieldForm.read(from: &form)
  }
}

extension FormWriter {
  fileprivate mutating func stamp(_ stamp: RecordStamp) {
    signed(stamp.time.milliseconds)
    text(stamp.userRecordName)
    text(stamp.deviceIdentifier)
  }

  fileprivate mutating func texts(_ texts: [String]) {
    count(texts.count)
    for text in texts { self.text(text) }
  }
}

extension FormReader {
  fileprivate mutating func stamp() throws(FormDamage) -> RecordStamp {
    let time = Timestamp(milliseconds: try signed())
    let user = try text()
    return RecordStamp(time: time, userRecordName: user, deviceIdentifier: try text())
  }

  fileprivate mutating func texts() throws(FormDamage) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try count()) { texts.append(try text()) }
    return texts
  }
}
