import BinaryCoding
import CloudRecords
import RecordStorage

/// What an index is of.
struct IndexSubject: Hashable, Sendable {
  enum Kind: UInt8, Hashable, Sendable {
    /// Each record stands at its value, or at that of none.
    case value = 1
    /// Each record stands at every member of its list.
    case members = 2
  }

  let recordType: String
  /// The field, or the name that schemas have for one of the system; no field can be called so.
  let field: String
  let kind: Kind

  /// The points at which a record stands.
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

/// An index of a zone, as it is stored.
///
/// ```
///            a query wished it       the builder came to its end       its field is not indexed any more
///  (none) ─────────────────▶ building ───────────────────────▶ ready ─────────────────────▶ dropped ──▶ (none)
///                               └──────────────────────────────────────────────────────────────┘
/// ```
///
/// From its beginning on, every change keeps the index true for the records that change. So the
/// builder has to go through those only that lay there before, in steps; what changes meanwhile
/// moves to the zone's end, behind them.
struct QueryIndex: Hashable, Sendable {
  enum State: Hashable, Sendable {
    /// Of what lies up to `end`, the index has what lies up to `position`, and it has all that lies
    /// behind `end`.
    case building(position: UInt64, end: UInt64)
    case ready
    /// Nobody keeps it true any more; its entries are being erased.
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
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of index") }
    number = try form.number()
    let (type, field) = (try form.text(), try form.text())
    guard let kind = IndexSubject.Kind(rawValue: try form.byte()) else {
      throw form.damage("an unknown kind of index")
    }
    subject = IndexSubject(recordType: type, field: field, kind: kind)
    switch try form.byte() {
    case 1: state = .building(position: try form.number(), end: try form.number())
    case 2: state = .ready
    case 3: state = .dropped
    default: throw form.damage("an unknown state of an index")
    }
    guard form.isAtEnd else { throw form.damage("bytes behind the end of an index") }
  }
}
