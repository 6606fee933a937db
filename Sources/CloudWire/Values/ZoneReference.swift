package import CloudRecords
package import JSONCoding

/// A zone as a client names it: the owner is the caller where it does not say.
package struct ZoneReference: Hashable, Sendable {
  package var zoneName: String
  package var ownerName: String?

  package init(zoneName: String = RecordZoneIdentifier.defaultZoneName, ownerName: String? = nil) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The zone that is meant, where the caller is this one.
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
    /// Another client's name for the owner.
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
  /// Takes a zone of an answer: an owner that is not named is the caller.
  init(answered reader: inout JSONReader) throws(JSONError) {
    self = try ZoneReference(from: &reader).identifier(caller: Self.currentOwnerName)
  }
}

extension JSONWriter {
  /// A zone in requests.
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

  /// A zone's identifier in responses.
  mutating func zone(_ zone: RecordZoneIdentifier) {
    beginObject()
    text("zoneName", zone.zoneName)
    text("ownerRecordName", zone.ownerName)
    text("zoneType", zone.isDefaultZone ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
    endObject()
  }
}
