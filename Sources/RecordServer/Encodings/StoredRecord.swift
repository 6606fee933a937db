import BinaryCoding
package import CloudRecords
import Synchronization

/// The entry at a position of a zone: a record, or the tombstone of a deleted one.
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

  /// The shares whose participants may have seen the record and must be notified of its changes.
  ///
  /// The current share has no explicit end. If it does not show the next entry, its end is that
  /// entry's position.
  package var seenByShares: [PreviousShare] {
    switch self {
    case .record(let record):
      guard let now = record.coveringShareName else { return record.formerShares }
      return record.formerShares.filter { $0.name != now } + [PreviousShare(now)]
    case .tombstone(let tombstone): return tombstone.shares
    }
  }
}

/// A stored record.
///
/// Its zone is part of its key. Copies share their storage, except for the tag, until one is
/// changed: a batch holds a record in many places.
package struct StoredRecord: Hashable, Sendable {
  /// The position of the last change by a client.
  ///
  /// The record's own position is greater after its share has changed.
  package var tag: UInt64

  /// The contents of a record.
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
    var formerShares: [PreviousShare] = []
    var share: ShareDetails?
  }

  /// Copy-on-write storage.
  ///
  /// Unchecked sendability is safe: it is changed only while a single value references it.
  fileprivate final class Shared: @unchecked Sendable {
    @safe @exclusivity(unchecked) var parts: Parts
    /// The cached `mostBytes`, which a batch needs several times on several threads; zero if
    /// unknown.
    let measured = Atomic<Int>(0)

    init(_ parts: Parts) { self.parts = parts }
  }

  private var shared: Shared

  fileprivate init(_ parts: Parts, tag: UInt64) {
    shared = Shared(parts)
    self.tag = tag
  }

  package init(
    recordName: String, recordType: String, tag: UInt64, created: RecordStamp,
    modified: RecordStamp,
    fields: RecordFields
  ) {
    self.init(
      Parts(
        recordName: recordName, recordType: recordType, created: created, modified: modified,
        fields: fields),
      tag: tag)
  }

  fileprivate var parts: Parts {
    get { shared.parts }
    _modify {
      if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.parts) }
      shared.measured.store(0, ordering: .relaxed)
      yield &shared.parts
    }
  }

  /// The result of `measure`, cached until the record changes.
  func measured(_ measure: () -> Int) -> Int {
    let known = shared.measured.load(ordering: .relaxed)
    if known > 0 { return known }
    let found = measure()
    shared.measured.store(found, ordering: .relaxed)
    return found
  }

  package static func == (one: StoredRecord, other: StoredRecord) -> Bool {
    one.tag == other.tag && (one.shared === other.shared || one.shared.parts == other.shared.parts)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(tag)
    hasher.combine(shared.parts)
  }
}

// MARK: - Contents

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

  /// The encrypted fields, which are not in `fields`.
  package var sealed: SealedFields {
    get { shared.parts.sealed }
    _modify { yield &parts.sealed }
  }

  package var parentName: String? {
    get { shared.parts.parentName }
    _modify { yield &parts.parentName }
  }

  /// The name of the share for which this record is the root.
  package var shareName: String? {
    get { shared.parts.shareName }
    _modify { yield &parts.shareName }
  }

  package var shortIdentifier: String? {
    get { shared.parts.shortIdentifier }
    _modify { yield &parts.shortIdentifier }
  }

  /// The name of the hierarchical share that covers the record, directly or through its ancestors.
  package var coveringShareName: String? {
    get { shared.parts.coveringShareName }
    _modify { yield &parts.coveringShareName }
  }

  /// Shares that covered the record, or a deleted record of the same name.
  ///
  /// The feed reports to their participants that the record is gone.
  package var formerShares: [PreviousShare] {
    get { shared.parts.formerShares }
    _modify { yield &parts.formerShares }
  }

  /// The share's own properties; nil if the record is not a share.
  package var share: ShareDetails? {
    get { shared.parts.share }
    _modify { yield &parts.share }
  }
}

/// The remains of a deleted record, for feeds.
package struct Tombstone: Hashable, Sendable {
  package var recordName: String
  package var recordType: String
  package var deleted: Timestamp
  /// The shares whose participants have seen the record.
  package var shares: [PreviousShare]
  /// The position since which the record does not exist; nil for the tombstone's own position, zero
  /// if it is not known to have existed.
  package var end: UInt64?

  package init(
    recordName: String, recordType: String, deleted: Timestamp, shares: [PreviousShare],
    end: UInt64? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.deleted = deleted
    self.shares = shares
    self.end = end
  }
}

// MARK: - Encoding

extension StoredEntry {
  /// The form of a stored entry, which is its first byte.
  ///
  /// A form never changes; a new one gets a new number.
  enum Form: UInt8 {
    case record = 1
    case tombstone = 2
    /// A record with its sealed fields after the others.
    case recordWithSealedFields = 3
    /// A tombstone with explicit end positions at its end.
    case tombstoneWithEnds = 4
    /// A record with its sealed fields, if any, after the others, and then the ends of former
    /// shares.
    case recordWithEnds = 5

    var isRecord: Bool {
      switch self {
      case .record, .recordWithSealedFields, .recordWithEnds: true
      case .tombstone, .tombstoneWithEnds: false
      }
    }
  }

  /// Whether an entry is a record, according to its first byte.
  static func isRecord(_ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && Form(rawValue: bytes[0])?.isRecord == true
  }

  package var bytes: [UInt8] {
    var form = BinaryWriter(capacity: mostBytes)
    switch self {
    case .record(let record):
      form.byte(record.form.rawValue)
      record.write(to: &form)
    case .tombstone(let tombstone):
      form.byte((tombstone.hasEnds ? Form.tombstoneWithEnds : .tombstone).rawValue)
      tombstone.write(to: &form)
    }
    return form.bytes
  }

  /// The type of a record, without decoding the rest; nil for a tombstone.
  static func recordType(in bytes: [UInt8]) throws -> String? {
    var form = BinaryReader(bytes)
    guard Form(rawValue: try form.byte())?.isRecord == true else { return nil }
    try form.skipText()
    return try form.text()
  }

  package init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    switch Form(rawValue: try form.byte()) {
    case .record: self = .record(try StoredRecord(from: &form))
    case .recordWithSealedFields:
      var record = try StoredRecord(from: &form)
      record.sealed = try SealedFields(from: &form)
      guard !record.sealed.isEmpty else { throw form.error("no sealed field") }
      self = .record(record)
    case .recordWithEnds:
      var record = try StoredRecord(from: &form)
      record.sealed = try SealedFields(from: &form)
      record.formerShares = try form.ends(of: record.formerShares)
      self = .record(record)
    case .tombstone: self = .tombstone(try Tombstone(from: &form))
    case .tombstoneWithEnds:
      var tombstone = try Tombstone(from: &form)
      tombstone.shares = try form.ends(of: tombstone.shares)
      tombstone.end = try form.optional { (form) throws(BinaryCodingError) in try form.number() }
      self = .tombstone(tombstone)
    case nil: throw form.error("an unknown form of record")
    }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a record") }
  }
}

extension StoredRecord {
  fileprivate var form: StoredEntry.Form {
    if shared.parts.formerShares.haveEnds { return .recordWithEnds }
    return shared.parts.sealed.isEmpty ? .record : .recordWithSealedFields
  }

  fileprivate func write(to form: inout BinaryWriter) { shared.parts.write(to: &form, tag: tag) }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    var tag: UInt64 = 0
    let parts = try Parts(from: &form, tag: &tag)
    self.init(parts, tag: tag)
  }
}

extension StoredRecord.Parts {
  fileprivate func write(to form: inout BinaryWriter, tag: UInt64) {
    form.text(recordName)
    form.text(recordType)
    form.number(tag)
    form.stamp(created)
    form.stamp(modified)
    form.text(ifPresent: parentName)
    form.text(ifPresent: shareName)
    form.text(ifPresent: shortIdentifier)
    form.text(ifPresent: coveringShareName)
    form.names(formerShares)
    form.optional(share) { ShareEncoding.write($1, to: &$0) }
    FieldEncoding.write(fields, to: &form)
    let haveEnds = formerShares.haveEnds
    if haveEnds || !sealed.isEmpty { sealed.write(to: &form) }
    if haveEnds { form.ends(formerShares) }
  }

  fileprivate init(from form: inout BinaryReader, tag: inout UInt64) throws(BinaryCodingError) {
    recordName = try form.text()
    recordType = try form.text()
    tag = try form.number()
    created = try form.stamp()
    modified = try form.stamp()
    parentName = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    shareName = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    shortIdentifier = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    coveringShareName = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    formerShares = try form.names()
    share = try form.optional { (form) throws(BinaryCodingError) in
      try ShareEncoding.read(from: &form)
    }
    fields = try FieldEncoding.read(from: &form)
  }
}

extension Tombstone {
  fileprivate var hasEnds: Bool { end != nil || shares.haveEnds }

  fileprivate func write(to form: inout BinaryWriter) {
    form.text(recordName)
    form.text(recordType)
    form.signed(deleted.milliseconds)
    form.names(shares)
    guard hasEnds else { return }
    form.ends(shares)
    form.optional(end) { $0.number($1) }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    recordName = try form.text()
    recordType = try form.text()
    deleted = Timestamp(milliseconds: try form.signed())
    shares = try form.names()
  }
}

extension BinaryWriter {
  fileprivate mutating func stamp(_ stamp: RecordStamp) {
    signed(stamp.time.milliseconds)
    text(stamp.userRecordName)
    text(stamp.deviceIdentifier)
  }

  fileprivate mutating func names(_ shares: [PreviousShare]) {
    count(shares.count)
    for share in shares { text(share.name) }
  }

  /// Writes the end of each share, or zero, which is no entry's position, for a missing end.
  fileprivate mutating func ends(_ shares: [PreviousShare]) {
    for share in shares { number(share.end ?? 0) }
  }
}

extension BinaryReader {
  fileprivate mutating func stamp() throws(BinaryCodingError) -> RecordStamp {
    let time = Timestamp(milliseconds: try signed())
    let user = try text()
    return RecordStamp(time: time, userRecordName: user, deviceIdentifier: try text())
  }

  fileprivate mutating func names() throws(BinaryCodingError) -> [PreviousShare] {
    var shares: [PreviousShare] = []
    for _ in 0..<(try count()) { shares.append(PreviousShare(try text())) }
    return shares
  }

  fileprivate mutating func ends(of shares: [PreviousShare]) throws(BinaryCodingError)
    -> [PreviousShare]
  {
    var shares = shares
    for index in shares.indices {
      let end = try number()
      if end > 0 { shares[index].end = end }
    }
    return shares
  }
}
