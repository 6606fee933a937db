package import CloudRecords
package import CloudWire

/// The scope of a key ring: a zone, or one share in it.
///
/// The participants of a share of some records must not read other records, so such a share has
/// separate keys. The share of a whole zone uses the zone's keys.
package struct KeyScope: Hashable, Comparable, Sendable {
  package let zone: RecordZoneIdentifier
  /// The share's record name, or nil for the zone.
  package let shareName: String?

  package init(zone: RecordZoneIdentifier, shareName: String? = nil) {
    self.zone = zone
    self.shareName = shareName == ShareDetails.zoneShareName ? nil : shareName
  }

  /// The place of the key bag on the server.
  package var place: KeyBagPlace {
    let reference = ZoneReference(zoneName: zone.zoneName, ownerName: zone.ownerName)
    return shareName.map { .share(reference, name: $0) } ?? .zone(reference)
  }

  package static func < (one: Self, other: Self) -> Bool {
    one.zone == other.zone ? (one.shareName ?? "") < (other.shareName ?? "") : one.zone < other.zone
  }

  /// The scope in error messages.
  var name: String {
    shareName.map { "the share “\($0)” in the zone “\(zone.zoneName)”" }
      ?? "the zone “\(zone.zoneName)”"
  }
}

/// A reference to a key in a sealed value.
package struct KeyReference: Hashable, Sendable {
  package let scope: KeyScope
  package let key: KeyIdentifier
}
