import CloudRecords
import CloudWire

/// What a list of all zones of a database comes to: it has no pages, so a zone is refused that
/// would make it longer than an answer may be.
struct ListedZones: Hashable, Sendable {
  var count = 0
  /// The default zone's are not among them: it is listed before it is made.
  var bytes = 0

  mutating func add(_ zone: RecordZoneIdentifier) {
    count += 1
    bytes += Self.bytes(of: zone)
  }

  mutating func remove(_ zone: RecordZoneIdentifier) {
    count = max(0, count - 1)
    bytes = max(0, bytes - Self.bytes(of: zone))
  }

  /// Whether one more may be there: the first one may, whatever it takes.
  ///
  /// - Parameter others: Bytes of what is listed beside them.
  func hasRoom(for zone: RecordZoneIdentifier, beside others: Int = 0, _ limits: ServiceLimits)
    -> Bool
  {
    guard count > 0 else { return limits.zonesPerDatabase > 0 }
    return count < limits.zonesPerDatabase
      && others + bytes + Self.bytes(of: zone) <= limits.answerBytes
  }

  private static func bytes(of zone: RecordZoneIdentifier) -> Int {
    zone.isDefaultZone ? 0 : listedBytes(of: zone)
  }

  /// The bytes of a zone in a list of all, with the longest token and the share of the whole zone,
  /// which it may have one day.
  ///
  /// The sum of these is stored: where the form of an answer changes, `StoredDatabase` needs a new
  /// form, so that all are counted anew.
  static func listedBytes(of zone: RecordZoneIdentifier) -> Int {
    let token = String(repeating: "x", count: ServerLimits.listedTokenBytes)
    return ZonesResponse(zones: [
      .zone(zone, syncToken: token, shareName: ShareDetails.zoneShareName)
    ]).bytes.count
  }
}
