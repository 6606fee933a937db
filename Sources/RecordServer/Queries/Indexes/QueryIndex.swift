import BinaryCoding
import CloudRecords
import RecordStorage

/// The subject of an index.
struct IndexSubject: Hashable, Sendable {
  enum Kind: UInt8, Hashable, Sendable {
    /// Each record has one entry, for its value or for no value.
    case value = 1
    /// Each record has one entry per member of its list.
    case members = 2
  }

  let recordType: String
  /// The field, or the schema's name of a system field, which no other field can have.
  let field: String
  let kind: Kind

  /// The points of a record in the index.
  func points(of record: StoredRecord?) -> Set<[UInt8]> {
    guard let record, record.recordType == recordType else { return [] }
    let value =
      SystemField(rawValue: field).map { record.value(of: $0) } ?? record.fields[field]?.value
    switch kind {
    case .value: return [(value.flatMap { IndexPoint($0) } ?? .nothing).bytes]
    case .members:
      guard case .list(_, let members)? = value else { return [] }
      return Set(members.compactMap { IndexPoint($0)?.bytes })
    }
  }
}

/// A stored index of a zone.
///
/// ```
///          suggested            build completed         field no longer indexed
/// (none) ──────────▶ building ───────────────▶ ready ────────────────────────▶ dropped ─▶ (none)
///                       └──────────────────────────────────────────────────────▲
/// ```
///
/// From its creation, every change updates the index. So the build only processes the records that
/// existed before, in steps; concurrent changes move records to the zone's end, beyond them.
struct QueryIndex: Hashable, Sendable {
  enum State: Hashable, Sendable {
    /// Of the positions up to `end`, the index covers those up to `position`; it covers all after
    /// `end`.
    case building(position: UInt64, end: UInt64)
    case ready
    /// It is no longer updated, and its entries are being erased.
    case dropped
  }

  let number: UInt64
  let subject: IndexSubject
  var state: State

  init(number: UInt64, subject: IndexSubject, state: State) {
    self.number = number
    self.subject = subject
    self.state = state
  }

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.number(number)
    form.text(subject.recordType)
    form.text(subject.field)
    form.byte(subject.kind.rawValue)
    switch state {
    case .building(let position, let end):
      form.byte(1)
      form.number(position)
      form.number(end)
    case .ready: form.byte(2)
    case .dropped: form.byte(3)
    }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of index") }
    number = try form.number()
    let (type, field) = (try form.text(), try form.text())
    guard let kind = IndexSubject.Kind(rawValue: try form.byte()) else {
      throw form.error("an unknown kind of index")
    }
    subject = IndexSubject(recordType: type, field: field, kind: kind)
    switch try form.byte() {
    case 1: state = .building(position: try form.number(), end: try form.number())
    case 2: state = .ready
    case 3: state = .dropped
    default: throw form.error("an unknown state of an index")
    }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of an index") }
  }
}
