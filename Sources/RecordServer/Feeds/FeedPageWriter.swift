import BinaryCoding
import CloudRecords
import CloudWire
import JSONCoding

/// Writes the results of a feed's page directly from the storage.
///
/// Pages may have thousands of records, so their strings and byte strings are copied from the
/// stored encoding into the response without decoding them. Values that repeat between records,
/// such as the creator, are cached.
struct FeedPageWriter: ~Copyable {
  /// The number of results written.
  private(set) var count = 0
  /// The number of bytes written.
  var byteCount: Int { writer.count }
  private let view: RecordView
  private var writer = JSONWriter(capacity: 1 << 16)
  /// The entry that is being written.
  private var form = BinaryReader([])
  /// The properties of the last record, other than its fields.
  ///
  /// The next record reuses values that are equal.
  private var shown: VisibleRecord

  init(_ view: RecordView) {
    self.view = view
    let unknown = RecordStamp(time: Timestamp(milliseconds: 0), userRecordName: "")
    let record = CloudRecord(
      identifier: RecordIdentifier(recordName: "", zone: view.access.identifier), recordType: "",
      changeTag: "",
      fields: RecordFields(), created: unknown, modified: unknown)
    shown = VisibleRecord(record: record, style: view.style)
    writer.beginArray()
  }

  mutating func add(_ result: RecordResult) {
    writer.result(result)
    count += 1
  }

  /// Writes a record that the reader may see.
  ///
  /// - Parameter types: The requested types, or nil for all. Other records are skipped.
  /// - Returns: False, without writing anything, for shares, tombstones, and records with sealed
  ///   fields or ends of former shares.
  mutating func add(recordIn entry: Span<UInt8>, types: Set<String>?) throws(BinaryCodingError)
    -> Bool
  {
    form.begin(entry)
    guard StoredEntry.Form(rawValue: try form.byte()) == .record, try readHead() else {
      return false
    }
    guard types?.contains(shown.record.recordType) ?? true else { return true }
    try writeRecord()
    count += 1
    return true
  }

  /// The array of all results.
  mutating func finish() -> [UInt8] {
    writer.endArray()
    return writer.array()
  }
}

extension FeedPageWriter {
  /// Reads the part before the fields, as `StoredRecord` writes it.
  ///
  /// - Returns: False for a share, which readers see differently.
  private mutating func readHead() throws(BinaryCodingError) -> Bool {
    shown.record.identifier.recordName = try form.text()
    shown.record.recordType = try form.text(likely: shown.record.recordType)
    shown.record.changeTag = RecordTag.text(try form.number())
    try form.takeStamp(into: &shown.record.created)
    try form.takeStamp(into: &shown.record.modified)
    shown.record.parentName = try form.optionalText()
    shown.record.shareName = try form.optionalText()
    shown.record.shortIdentifier = try form.optionalText()
    // The current and former covering shares.
    _ = try form.optionalText()
    for _ in 0..<(try form.count()) { try form.skipText() }
    return try form.byte() == 0
  }

  private mutating func writeRecord() throws(BinaryCodingError) {
    // `form` is moved out, because `self` cannot be read while its `writer` is being changed.
    var fields = BinaryReader([])
    swap(&fields, &form)
    defer { swap(&fields, &form) }
    try writer.record(shown) { (writer) throws(BinaryCodingError) in
      try FieldEncoding.write(from: &fields, to: &writer, for: view)
    }
    guard fields.isAtEnd else { throw fields.error("extra bytes after the end of a record") }
  }
}

extension BinaryReader {
  fileprivate mutating func takeStamp(into stamp: inout RecordStamp) throws(BinaryCodingError) {
    stamp.time = Timestamp(milliseconds: try signed())
    stamp.userRecordName = try text(likely: stamp.userRecordName)
    stamp.deviceIdentifier = try text(likely: stamp.deviceIdentifier)
  }

  fileprivate mutating func optionalText() throws(BinaryCodingError) -> String? {
    try optional { (form) throws(BinaryCodingError) in try form.text() }
  }
}
