import BinaryCoding
import CloudRecords

/// What is known of an owner's database as a whole: what a new zone needs to know, so that nobody
/// has to look through all of them.
struct StoredDatabase: Hashable, Sendable {
  /// The last position that any deleted zone had; zero where none was deleted.
  ///
  /// Marks of deleted zones are forgotten some time, but not that.
  var deletedThrough: UInt64 = 0
  var zones = Zones()

  /// The zones that there are, and the marks of those that were deleted.
  struct Zones: Hashable, Sendable {
    /// The greatest number that any zone has had: the next one gets a greater one.
    var lastNumber: UInt64 = 0
    /// What a list of all has to tell.
    var listed = ListedZones()
    /// How many marks lie in the order of their deletion.
    var markCount = 0
    /// The same, of zones that were reset.
    var resetCount = 0
    /// When marks are looked at next; nil while there is none of these.
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
      throw form.damage("an unknown form of what is known of a database")
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
