import BinaryCoding
import CloudRecords

/// Data about an owner's database as a whole, so that creating a zone does not read all others.
struct StoredDatabase: Hashable, Sendable {
  /// The greatest last position of all deleted zones; zero if no zone was deleted.
  ///
  /// It is kept after the tombstones of deleted zones expire.
  var deletedThrough: UInt64 = 0
  var zones = Zones()

  /// The counts of existing zones, and of the tombstones of deleted ones.
  struct Zones: Hashable, Sendable {
    /// The greatest number that any zone has had.
    var lastNumber: UInt64 = 0
    /// The size of the list of all zones.
    var listed = ListedZones()
    /// The number of tombstones of deleted zones that were not reset.
    var markCount = 0
    /// The number of tombstones of zones that were reset.
    var resetCount = 0
    /// The time at which tombstones are next examined; nil if there are none.
    var markDue: Timestamp?
  }

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 32)
    form.byte(Self.version)
    form.number(deletedThrough)
    form.number(zones.lastNumber)
    form.count(zones.listed.count)
    form.count(zones.listed.bytes)
    form.count(zones.markCount)
    form.optional(zones.markDue) { $0.signed($1.milliseconds) }
    form.count(zones.resetCount)
    return form.bytes
  }

  init() {}

  init(bytes: [UInt8]) throws(BinaryCodingError) {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of what is known of a database")
    }
    deletedThrough = try form.number()
    zones = try Zones(from: &form)
    try form.requireEnd()
  }
}

extension StoredDatabase.Zones {
  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    lastNumber = try form.number()
    listed.count = Int(clamping: try form.number())
    listed.bytes = Int(clamping: try form.number())
    markCount = Int(clamping: try form.number())
    markDue = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    resetCount = Int(clamping: try form.number())
  }
}
