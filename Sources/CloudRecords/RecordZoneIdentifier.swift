/// A zone's name together with the owner of its database.
package struct RecordZoneIdentifier: Hashable, Comparable, Sendable {
  package var zoneName: String
  /// The owner's user record name.
  package var ownerName: String

  package init(zoneName: String, ownerName: String) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The zone that exists in every database from the start.
  package static let defaultZoneName = "_defaultZone"
  /// The owner's name that a client sends for the current user.
  package static let currentOwnerName = "__defaultOwner__"

  package var isDefaultZone: Bool { zoneName == Self.defaultZoneName }

  package static func < (one: Self, other: Self) -> Bool {
    (one.ownerName, one.zoneName) < (other.ownerName, other.zoneName)
  }
}

/// A record's name, which is unique in its zone, together with the zone.
package struct RecordIdentifier: Hashable, Comparable, Sendable {
  package var recordName: String
  package var zone: RecordZoneIdentifier

  package init(recordName: String, zone: RecordZoneIdentifier) {
    self.recordName = recordName
    self.zone = zone
  }

  package static func < (one: Self, other: Self) -> Bool {
    one.zone == other.zone ? one.recordName < other.recordName : one.zone < other.zone
  }
}
