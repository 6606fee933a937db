import BinaryCoding
import CloudRecords

/// A stored zone, or the tombstone of a deleted one.
struct StoredZone: Hashable, Sendable {
  /// Its unique number in its owner's database.
  var number: UInt64
  var name: String
  var created: Timestamp
  /// The position of the last change.
  var lastPosition: UInt64 = 0
  /// The position up to which tombstones were purged.
  ///
  /// A token of an earlier position has expired.
  var purgedThrough: UInt64 = 0
  /// The time at which the zone's tombstones are next examined; nil if it has none.
  var purgeDue: Timestamp?
  /// The name of the record of the zone-wide share.
  var zoneShareName: String?
  /// The number of hierarchical shares in the zone.
  var recordShareCount = 0
  /// The number of the zone's latest index; zero if it never had one.
  var lastIndex: UInt64 = 0
  /// The time at which the zone was deleted; nil while it exists.
  var deleted: Timestamp?
  /// Whether it was deleted because the keys of its sealed values were lost.
  var isReset = false
  /// The size of its records and tombstones, and of the records' files.
  var bytesUsed: Int64 = 0
  /// The history to which its next positions belong.
  var history = StoreHistory.first
  /// The ranges of positions that were lost by restoring backups, in ascending order.
  var lost: [LostRange] = []

  init(number: UInt64, name: String, created: Timestamp) {
    self.number = number
    self.name = name
    self.created = created
  }

  /// A change of the encoding must increase `StoreSchema.version`.
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
    guard try form.byte() == Self.version else { throw form.error("an unknown form of zone") }
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
    guard form.isAtEnd else { throw form.error("bytes after the end of a zone") }
  }
}
