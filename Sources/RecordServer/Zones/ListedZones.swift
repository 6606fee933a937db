import CloudRecords
import CloudWire

/// The size of the list of all zones of a database.
///
/// The list has no pages, so creating a zone fails if the list would exceed a response.
struct ListedZones: Hashable, Sendable {
  var count = 0
  /// The size without the default zone, which is listed even before it exists.
  var bytes = 0

  mutating func add(_ zone: RecordZoneIdentifier) {
    count += 1
    bytes += Self.bytes(of: zone)
  }

  mutating func remove(_ zone: RecordZoneIdentifier) {
    count = max(0, count - 1)
    bytes = max(0, bytes - Self.bytes(of: zone))
  }

  /// Whether another zone fits.
  ///
  /// The first one fits regardless of its size.
  ///
  /// - Parameter others: The size of other listed zones.
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

  /// The maximum size of a zone in the list, with the longest token and a zone-wide share.
  ///
  /// `bytes`, the sum of these sizes, is stored. If the format of the response changes,
  /// `StoredDatabase` needs a new version, so that the sum is computed again.
  static func listedBytes(of zone: RecordZoneIdentifier) -> Int {
    let token = String(repeating: "x", count: ServerLimits.listedTokenBytes)
    return ZonesResponse(zones: [
      .zone(zone, syncToken: token, shareName: ShareDetails.zoneShareName)
    ]).bytes.count
  }
}
