package import JSONCoding

/// `zones/lookup`: tells of zones by their names.
package struct ZonesLookupRequest: WireRequest, Hashable {
  package var zones: [ZoneReference]

  private enum Key: String, JSONKey {
    case zones
    static let table = JSONKeyTable<Key>()
  }

  private enum ItemKey: String, JSONKey {
    case zoneID, zoneName, ownerRecordName
    static let table = JSONKeyTable<ItemKey>()
  }

  package init(zones: [ZoneReference]) { self.zones = zones }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(zones: try reader.list(under: Key.zones) { (reader) throws(JSONError) in try Self.item(&reader) })
  }

  /// A zone's identifier, bare or wrapped in a zone: clients send both.
  private static func item(_ reader: inout JSONReader) throws(JSONError) -> ZoneReference {
    var zone = ZoneReference()
    var object = try reader.beginObject(ItemKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneID: zone = try ZoneReference(from: &reader)
      case .zoneName: zone.zoneName = try reader.string()
      case .ownerRecordName: zone.ownerName = try reader.optionalText()
      }
    }
    return zone
  }
}

/// `zones/list`: tells of all zones.
///
/// The body says nothing.
package struct ZonesListRequest: WireRequest, Hashable {
  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
}
