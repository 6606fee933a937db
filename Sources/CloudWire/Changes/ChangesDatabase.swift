package import CloudRecords
package import JSONCoding

/// `changes/database` and the older `zones/changes`: which zones moved since a position.
package struct ChangesDatabaseRequest: WireRequest, Hashable {
  package var syncToken: String?
  package var resultsLimit: Int?

  private enum Key: String, JSONKey {
    case syncToken, metaSyncToken, resultsLimit
    static let table = JSONKeyTable<Key>()
  }

  package init(syncToken: String? = nil, resultsLimit: Int? = nil) {
    self.syncToken = syncToken
    self.resultsLimit = resultsLimit
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var meta: String?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .syncToken: syncToken = try reader.optionalText()
      case .metaSyncToken: meta = try reader.optionalText()
      case .resultsLimit: resultsLimit = try reader.optionalCount()
      }
    }
    syncToken = meta ?? syncToken
  }
}

package struct ChangesDatabaseResponse: WireResponse, Hashable {
  package var zones: [ZoneMove]
  package var syncToken: String
  package var moreComing: Bool

  /// What happened to a zone.
  package enum ZoneMove: Hashable, Sendable {
    case moved(RecordZoneIdentifier)
    case deleted(RecordZoneIdentifier)
  }

  package init(zones: [ZoneMove], syncToken: String, moreComing: Bool) {
    self.zones = zones
    self.syncToken = syncToken
    self.moreComing = moreComing
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("zones")
    writer.beginArray()
    for move in zones {
      writer.beginObject()
      writer.key("zoneID")
      switch move {
      case .moved(let zone): writer.zone(zone)
      case .deleted(let zone):
        writer.zone(zone)
        writer.bool("deleted", true)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.text("syncToken", syncToken)
    // The older endpoint's name for the same.
    writer.text("metaSyncToken", syncToken)
    writer.bool("moreComing", moreComing)
    writer.endObject()
  }
}
