/// The name of a zone and of the user whose private database it lies in.
package struct RecordZoneIdentifier: Hashable, Comparable, Sendable {
  package var zoneName: String
  /// The owner's user record name.
  package var ownerName: String

  package init(zoneName: String, ownerName: String) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The zone that every database has without anybody making it.
  package static let defaultZoneName = "_defaultZone"
  /// What clients write for the owner when they mean themselves.
  package static let currentOwnerName = "__defaultOwner__"

  package var isDefaultZone: Bool { zoneName == Self.defaultZoneName }

  package static func < (one: Self, other: Self) -> Bool {
    (one.ownerName, one.zoneName) < (other.ownerName, other.zoneName)
  }
}

/// The name of a record, which is unique in its zone.
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
