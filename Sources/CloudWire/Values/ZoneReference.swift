package import CloudRecords
package import JSONCoding

/// A zone as named by a client.
///
/// Without an owner, the zone is the caller's.
package struct ZoneReference: Hashable, Sendable {
  package var zoneName: String
  package var ownerName: String?

  package init(zoneName: String = RecordZoneIdentifier.defaultZoneName, ownerName: String? = nil) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// Returns the zone's identifier for a caller.
  package func identifier(caller: String) -> RecordZoneIdentifier {
    guard let ownerName, ownerName != RecordZoneIdentifier.currentOwnerName else {
      return RecordZoneIdentifier(zoneName: zoneName, ownerName: caller)
    }
    return RecordZoneIdentifier(zoneName: zoneName, ownerName: ownerName)
  }
}

extension ZoneReference {
  private enum Key: String, JSONKey {
    case zoneName, ownerRecordName
    /// The owner's name in requests of some clients.
    case ownerName
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneName: zoneName = try reader.string()
      case .ownerRecordName, .ownerName: ownerName = try reader.optionalText() ?? ownerName
      }
    }
  }
}

extension RecordZoneIdentifier {
  /// Reads a zone of a response.
  ///
  /// Without an owner, the zone is the caller's.
  init(answered reader: inout JSONReader) throws(JSONError) {
    self = try ZoneReference(from: &reader).identifier(caller: Self.currentOwnerName)
  }
}

extension JSONWriter {
  /// Writes a zone in requests.
  mutating func zone(_ zone: ZoneReference) {
    beginObject()
    text("zoneName", zone.zoneName)
    text("ownerRecordName", ifPresent: zone.ownerName)
    endObject()
  }

  mutating func zone(_ key: StaticString, ifPresent zone: ZoneReference?) {
    guard let zone else { return }
    self.key(key)
    self.zone(zone)
  }

  /// Writes a zone's identifier in responses.
  mutating func zone(_ zone: RecordZoneIdentifier) {
    beginObject()
    text("zoneName", zone.zoneName)
    text("ownerRecordName", zone.ownerName)
    text("zoneType", zone.isDefaultZone ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
    endObject()
  }
}
