import BinaryCoding
import CloudRecords

/// A zone as it is stored, or what is left of one.
struct StoredZone: Hashable, Sendable {
  /// Its number in its owner's database; no other zone ever has it.
  var number: UInt64
  var name: String
  var created: Timestamp
  /// The position of what changed last.
  var lastPosition: UInt64 = 0
  /// Tombstones up to here were thrown away: a position below is too old to go on from.
  var purgedThrough: UInt64 = 0
  /// When the zone's tombstones are looked at next; nil while it has none.
  var purgeDue: Timestamp?
  /// The share of the whole zone, by the name of its record.
  var zoneShareName: String?
  /// How many shares of records the zone has.
  var recordShareCount = 0
  /// The number that the latest index of the zone has; zero where it never had one.
  var lastIndex: UInt64 = 0
  /// When the zone was deleted; nil while it lives.
  var deleted: Timestamp?
  /// Whether it was deleted because the keys of its sealed values are lost.
  var isReset = false
  /// The bytes of its records, with those of the files that each of them holds.
  var bytesUsed: Int64 = 0
  /// The history that its positions go on in.
  var history = StoreHistory.first
  /// The ranges that restorations lost, in ascending order.
  var lost: [LostRange] = []

  init(number: UInt64, name: String, created: Timestamp) {
    self.number = number
    self.name = name
    self.created = created
  }

  /// A change of the form raises the store's version, too (`StoreSchema`).
  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.number(number)
    form.text(name)
    form.signed(created.milliseconds)
    form.number(lastPosition)
    form.number(purgedThrough)
    form.optional(zoneShareName) { $0.text($1) }
    form.count(recordShareCount)
    form.optional(deleted) { $0.signed($1.milliseconds) }
    form.optional(purgeDue) { $0.signed($1.milliseconds) }
    form.number(lastIndex)
    form.byte(isReset ? 1 : 0)
    form.signed(bytesUsed)
    form.number(history.base)
    form.lostRanges(lost)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of zone") }
    number = try form.number()
    name = try form.text()
    created = Timestamp(milliseconds: try form.signed())
    lastPosition = try form.number()
    purgedThrough = try form.number()
    zoneShareName = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    recordShareCount = Int(truncatingIfNeeded: try form.number())
    deleted = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    purgeDue = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    lastIndex = try form.number()
    isReset = try form.byte() == 1
    bytesUsed = try form.signed()
    history = StoreHistory(base: try form.number())
    lost = try form.lostRanges()
    guard form.isAtEnd else { throw form.damage("bytes behind the end of a zone") }
  }
}
