import BinaryForms
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

  package var recordType: String {
    switch self {
    case .record(let record): record.recordType
    case .tombstone(let tombstone): tombstone.recordType
    }
  }

  /// The shares whose participants may have seen the record: they are told of what becomes of it.
  package var seenByShares: [String] {
    switch self {
    case .record(let record):
      let former = record.formerShareNames
      guard let now = record.coveringShareName, !former.contains(now) else { return former }
      return former + [now]
    case .tombstone(let tombstone): return tombstone.shareNames
    }
  }
}

/// A record as it is stored.
///
/// Its zone is part of its key. Copies share their parts, all but the tag, until one of them is changed: a batch keeps a record in many places.
package struct StoredRecord: Hashable, Sendable {
  /// The position at which the record was last changed by somebody.
  ///
  /// It lies behind the record's position after its standing in a share changed.
  package var tag: UInt64

  /// The parts of a record.
  fileprivate struct Parts: Hashable, Sendable {
    var recordName: String
    var recordType: String
    var created: RecordStamp
    var modified: RecordStamp
    var fields: RecordFields
    var sealed = SealedFields()
    var parentName: String?
    var shareName: String?
    var shortIdentifier: String?
    var coveringShareName: String?
    var formerShareNames: [String] = []
    var share: ShareDetails?
  }

  /// What copies share.
  ///
  /// Unchecked: it is changed only by the one value that refers to it.
  fileprivate final class Shared: @unchecked Sendable {
    var parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  private var shared: Shared

  fileprivate init(_ parts: Parts, tag: UInt64) {
    shared = Shared(parts)
    self.tag = tag
  }

  package init(
    recordName: String, recordType: String, tag: UInt64, created: RecordStamp, modified: RecordStamp,
    fields: RecordFields
  ) {
    self.init(
      Parts(recordName: recordName, recordType: recordType, created: created, modified: modified, fields: fields),
      tag: tag)
  }

  fileprivate var parts: Parts {
    get { shared.parts }
    _modify {
      if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.parts) }
      yield &shared.parts
    }
  }

  package static func == (one: StoredRecord, other: StoredRecord) -> Bool {
    one.tag == other.tag && (one.shared === other.shared || one.shared.parts == other.shared.parts)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(tag)
    hasher.combine(shared.parts)
  }
}

// MARK: - Its parts

extension StoredRecord {
  package var recordName: String {
    get { shared.parts.recordName }
    _modify { yield &parts.recordName }
  }

  package var recordType: String {
    get { shared.parts.recordType }
    _modify { yield &parts.recordType }
  }

  package var created: RecordStamp {
    get { shared.parts.created }
    _modify { yield &parts.created }
  }

  package var modified: RecordStamp {
    get { shared.parts.modified }
    _modify { yield &parts.modified }
  }

  package var fields: RecordFields {
    get { shared.parts.fields }
    _modify { yield &parts.fields }
  }

  /// The fields that clients marked as encrypted, which are not among the others.
  package var sealed: SealedFields {
    get { shared.parts.sealed }
    _modify { yield &parts.sealed }
  }

  package var parentName: String? {
    get { shared.parts.parentName }
    _modify { yield &parts.parentName }
  }

  /// The share that was made for this record.
  package var shareName: String? {
    get { shared.parts.shareName }
    _modify { yield &parts.shareName }
  }

  package var shortIdentifier: String? {
    get { shared.parts.shortIdentifier }
    _modify { yield &parts.shortIdentifier }
  }

  /// The hierarchical share that the record belongs to, by itself or by its ancestors.
  package var coveringShareName: String? {
    get { shared.parts.coveringShareName }
    _modify { yield &parts.coveringShareName }
  }

  /// Shares that covered the record once, or one of its name that was deleted: their participants are told that it is gone.
  package var formerShareNames: [String] {
    get { shared.parts.formerShareNames }
    _modify { yield &parts.formerShareNames }
  }

  /// What makes the record a share.
  package var share: ShareDetails? {
    get { shared.parts.share }
    _modify { yield &parts.share }
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
  enum Form: UInt8 {
    case record = 1
    case tombstone = 2
    /// A record whose sealed fields stand behind the others.
    case recordWithSealedFields = 3

    var isRecord: Bool { self != .tombstone }
  }

  /// Whether an entry is a record, without reading more than its beginning.
  static func isRecord(_ bytes: Span<UInt8>) -> Bool { !bytes.isEmpty && Form(rawValue: bytes[0])?.isRecord == true }

  package var bytes: [UInt8] {
    var form = FormWriter(capacity: mostBytes)
    switch self {
    case .record(let record):
      form.byte((record.sealed.isEmpty ? Form.record : .recordWithSealedFields).rawValue)
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
    guard Form(rawValue: try form.byte())?.isRecord == true else { return nil }
    try form.skipText()
    return try form.text()
  }

  package init(bytes: [UInt8]) throws {
    var form = FormReader(bytes)
    switch Form(rawValue: try form.byte()) {
    case .record: self = .record(try StoredRecord(from: &form))
    case .recordWithSealedFields:
      var record = try StoredRecord(from: &form)
      record.sealed = try SealedFields(from: &form)
      guard !record.sealed.isEmpty else { throw form.damage("no sealed field") }
      self = .record(record)
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
  fileprivate func write(to form: inout FormWriter) { shared.parts.write(to: &form, tag: tag) }

  fileprivate init(from form: inout FormReader) throws(FormDamage) {
    var tag: UInt64 = 0
    let parts = try Parts(from: &form, tag: &tag)
    self.init(parts, tag: tag)
  }
}

extension StoredRecord.Parts {
  fileprivate func write(to form: inout FormWriter, tag: UInt64) {
    form.text(recordName)
    form.text(recordType)
    form.number(tag)
    form.stamp(created)
    form.stamp(modified)
    form.text(ifPresent: parentName)
    form.text(ifPresent: shareName)
    form.text(ifPresent: shortIdentifier)
    form.text(ifPresent: coveringShareName)
    form.texts(formerShareNames)
    form.optional(share) { ShareForm.write($1, to: &$0) }
    FieldForm.write(fields, to: &form)
    if !sealed.isEmpty { sealed.write(to: &form) }
  }

  fileprivate init(from form: inout FormReader, tag: inout UInt64) throws(FormDamage) {
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

  mutating func texts() throws(FormDamage) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try count()) { texts.append(try text()) }
    return texts
  }
}
