import BinaryCoding
import CloudRecords
import CloudSchema
import RecordStorage

/// A replacement of development's schema, while incompatible records are being erased.
///
/// It is stored in the schema's place, so that no record is saved under the old schema from then
/// on. Erasing takes many transactions; at the end, the plain schema text replaces it. After a
/// crash, erasing restarts and skips what is gone.
struct PendingReplacement: Hashable, Sendable {
  /// The new schema.
  let text: [UInt8]
  let erasure: SchemaErasure

  init(_ replacement: SchemaReplacement, erasure: SchemaErasure) {
    text = Array(replacement.schema.text.utf8)
    self.erasure = erasure
  }

  // MARK: Stored encoding

  /// The first byte, which no schema text begins with.
  private static let mark: UInt8 = 1

  static func isForm(_ stored: Span<UInt8>) -> Bool { !stored.isEmpty && stored[0] == mark }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: text.count + 64)
    form.byte(Self.mark)
    form.data(text)
    erasure.write(to: &form)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.mark else {
      throw form.error("an unknown form of replaced schema")
    }
    text = try form.data()
    erasure = try SchemaErasure(from: &form)
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a replaced schema") }
  }
}

/// The data of a database that a schema replacement erases.
enum SchemaErasure: Hashable, Sendable {
  /// All zones with their contents.
  case everything
  /// Records of types, values of fields, and unusable indexes.
  case parts(Parts)

  struct Parts: Hashable, Sendable {
    var types: Set<String> = []
    var fields: Set<FieldName> = []
    var indexes: Set<FieldName> = []
  }

  typealias FieldName = SchemaReplacement.ErasedField

  /// Collects the parts of a schema that its replacement does not have.
  init(of replacement: SchemaReplacement) {
    self = .parts(
      Parts(
        types: Set(replacement.erasedTypes), fields: Set(replacement.erasedFields),
        indexes: Set(replacement.fieldsWithoutIndex)))
  }

  var isNothing: Bool { self == .parts(Parts()) }

  /// Whether an index is dropped.
  func drops(_ subject: IndexSubject) -> Bool {
    guard case .parts(let parts) = self else { return true }
    let name = FieldName(name: subject.field, recordType: subject.recordType)
    return parts.types.contains(name.recordType) || parts.fields.contains(name)
      || parts.indexes.contains(name)
  }

  /// The effect on a record: removal, or removal of fields; nil if it stays.
  func effect(on record: StoredRecord) -> Effect? {
    guard case .parts(let parts) = self else { return .removed }
    if parts.types.contains(record.recordType) { return .removed }
    var kept = record
    for field in parts.fields where field.recordType == record.recordType {
      kept.fields[field.name] = nil
      kept.sealed.remove(field.name)
    }
    return kept == record ? nil : .changed(kept)
  }

  enum Effect: Hashable {
    case removed
    case changed(StoredRecord)
  }

  fileprivate func write(to form: inout BinaryWriter) {
    guard case .parts(let parts) = self else { return form.byte(0) }
    form.byte(1)
    form.count(parts.types.count)
    for type in parts.types.sorted() { form.text(type) }
    for names in [parts.fields, parts.indexes] {
      form.count(names.count)
      for field in names.sorted(by: { ($0.recordType, $0.name) < ($1.recordType, $1.name) }) {
        form.text(field.recordType)
        form.text(field.name)
      }
    }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    guard try form.byte() == 1 else {
      self = .everything
      return
    }
    var parts = Parts()
    for _ in 0..<(try form.count()) { parts.types.insert(try form.text()) }
    parts.fields = try Self.names(from: &form)
    parts.indexes = try Self.names(from: &form)
    self = .parts(parts)
  }

  private static func names(from form: inout BinaryReader) throws(BinaryCodingError) -> Set<
    FieldName
  > {
    var names: Set<FieldName> = []
    for _ in 0..<(try form.count()) {
      let type = try form.text()
      names.insert(FieldName(name: try form.text(), recordType: type))
    }
    return names
  }
}
