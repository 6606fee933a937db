package import CloudRecords
package import CloudWire

/// Whose keys: those of a zone, or of one share within it.
///
/// Whoever is given a share of some records must not be able to read the others, so such a share
/// has keys of its own. The share of a whole zone uses the zone's.
package struct KeyScope: Hashable, Comparable, Sendable {
  package let zone: RecordZoneIdentifier
  /// The share's record name; nil for the zone.
  package let shareName: String?

  package init(zone: RecordZoneIdentifier, shareName: String? = nil) {
    self.zone = zone
    self.shareName = shareName == ShareDetails.zoneShareName ? nil : shareName
  }

  /// Where the server keeps the keys.
  package var place: KeyBagPlace {
    let reference = ZoneReference(zoneName: zone.zoneName, ownerName: zone.ownerName)
    return shareName.map { .share(reference, name: $0) } ?? .zone(reference)
  }

  package static func < (one: Self, other: Self) -> Bool {
    one.zone == other.zone ? (one.shareName ?? "") < (other.shareName ?? "") : one.zone < other.zone
  }

  /// The scope, in sentences of errors.
  var name: String {
    shareName.map { "the share “\($0)” in the zone “\(zone.zoneName)”" }
      ?? "the zone “\(zone.zoneName)”"
  }
}

/// A key that a sealed value names.
package struct KeyReference: Hashable, Sendable {
  package let scope: KeyScope
  package let key: KeyIdentifier
}
