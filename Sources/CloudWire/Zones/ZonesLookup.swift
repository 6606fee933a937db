package import JSONCoding

/// `zones/lookup`: fetches zones by name.
package struct ZonesLookupRequest: DatabaseRequest, Hashable {
  package typealias Response = ZonesResponse
  package static let endpoint = Endpoint.zonesLookup

  package var zones: [ZoneReference]

  private enum Key: String, JSONKey {
    case zones
    static let table = JSONKeyTable<Key>()
  }

  private enum ItemKey: String, JSONKey {
    case zoneID, zoneName, ownerRecordName, ownerName
    static let table = JSONKeyTable<ItemKey>()
  }

  package init(zones: [ZoneReference]) { self.zones = zones }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      zones: try reader.list(under: Key.zones) { (reader) throws(JSONError) in
        try Self.item(&reader)
      })
  }

  /// Reads a zone's identifier, either bare or under `zoneID`, because clients send both forms.
  private static func item(_ reader: inout JSONReader) throws(JSONError) -> ZoneReference {
    var zone = ZoneReference()
    var object = try reader.beginObject(ItemKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneID: zone = try ZoneReference(from: &reader)
      case .zoneName: zone.zoneName = try reader.string()
      case .ownerRecordName, .ownerName:
        zone.ownerName = try reader.optionalText() ?? zone.ownerName
      }
    }
    return zone
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("zones")
    writer.beginArray()
    for zone in zones { writer.zone(zone) }
    writer.endArray()
    writer.endObject()
  }
}

/// `zones/list`: fetches all zones.
///
/// The body is ignored.
package struct ZonesListRequest: DatabaseRequest, Hashable {
  package typealias Response = ZonesResponse
  package static let endpoint = Endpoint.zonesList
  package static let hasBody = false

  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}
