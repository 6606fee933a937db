import BinaryCoding
import CloudRecords

/// What is known of an owner's database as a whole: what a new zone needs to know, so that nobody
/// has to look through all of them.
struct StoredDatabase: Hashable, Sendable {
  /// The last position that any deleted zone had; zero where none was deleted, or by servers of
  /// early versions alone.
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
    /// How many marks lie in the order of their deletion: not those that a server before version 9
    /// left.
    var markCount = 0
    /// The same, of zones that were reset.
    var resetCount = 0
    /// When marks are looked at next; nil while there is none of these.
    var markDue: Timestamp?
  }

  /// Form 1 knew how far deleted zones went, and nothing of zones; before it there was none.
  ///
  /// Form 2 counted no resets apart.
  private static let (first, version): (UInt8, UInt8) = (1, 3)

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

  /// - Parameter count: Looks through the zones, where a server before version 9 did not count
  ///   them.
  init(bytes: [UInt8], count: () throws -> Zones) throws {
    guard !bytes.isEmpty else {
      zones = try count()
      return
    }
    var form = BinaryReader(bytes)
    let found = try form.byte()
    guard (Self.first...Self.version).contains(found) else {
      throw form.damage("an unknown form of what is known of a database")
    }
    deletedThrough = try form.number()
    zones = found == Self.first ? try count() : try Zones(from: &form, countsResets: found > 2)
    try form.requireEnd()
  }
}

extension StoredDatabase.Zones {
  fileprivate init(from form: inout BinaryReader, countsResets: Bool) throws(BinaryCodingError) {
    lastNumber = try form.number()
    listed.count = Int(clamping: try form.number())
    listed.bytes = Int(clamping: try form.number())
    markCount = Int(clamping: try form.number())
    markDue = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    if countsResets { resetCount = Int(clamping: try form.number()) }
  }

  /// The zones of a database that nobody has counted yet.
  init(counting zones: [StoredZone], of owner: String) {
    for zone in zones {
      lastNumber = max(lastNumber, zone.number)
      guard zone.deleted == nil else { continue }
      listed.add(RecordZoneIdentifier(zoneName: zone.name, ownerName: owner))
    }
  }
}
