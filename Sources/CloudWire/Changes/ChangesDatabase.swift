package import CloudRecords
package import JSONCoding

/// `changes/database` and the older `zones/changes`: lists the zones that changed since a token.
package struct ChangesDatabaseRequest: DatabaseRequest, Hashable {
  package typealias Response = ChangesDatabaseResponse
  package static let endpoint = Endpoint.changesDatabase

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

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("syncToken", ifPresent: syncToken)
    writer.count("resultsLimit", ifPresent: resultsLimit)
    writer.endObject()
  }
}

/// The response of `zones/changes`, which also has the token under the name that is documented for
/// this endpoint.
package struct ZonesChangesResponse: WireResponse, Hashable {
  package var changes: ChangesDatabaseResponse

  package init(_ changes: ChangesDatabaseResponse) { self.changes = changes }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    changes.writeMembers(to: &writer)
    writer.text("metaSyncToken", changes.syncToken)
    writer.endObject()
  }
}

package struct ChangesDatabaseResponse: ClientResponse, Hashable {
  package var zones: [ZoneChange]
  package var syncToken: String
  package var moreComing: Bool

  /// A change of a zone.
  package enum ZoneChange: Hashable, Sendable {
    case changed(RecordZoneIdentifier)
    case deleted(RecordZoneIdentifier)
    /// An error for the zone, which another server may send.
    case failed(RecordZoneIdentifier, CloudError)
  }

  package init(zones: [ZoneChange], syncToken: String, moreComing: Bool) {
    self.zones = zones
    self.syncToken = syncToken
    self.moreComing = moreComing
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.key("zones")
    writer.beginArray()
    for change in zones {
      writer.beginObject()
      writer.key("zoneID")
      switch change {
      case .changed(let zone): writer.zone(zone)
      case .deleted(let zone):
        writer.zone(zone)
        writer.bool("deleted", true)
      case .failed(let zone, let error):
        writer.zone(zone)
        writer.errorMembers(error)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.text("syncToken", syncToken)
    writer.bool("moreComing", moreComing)
  }
}

// MARK: - Reading

extension ChangesDatabaseResponse {
  private enum Key: String, JSONKey {
    case zones, syncToken, metaSyncToken, moreComing
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(zones: [], syncToken: "", moreComing: false)
    var (token, meta): (String?, String?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zones: zones = try Self.zoneChanges(&reader)
      case .syncToken: token = try reader.optionalText()
      case .metaSyncToken: meta = try reader.optionalText()
      case .moreComing: moreComing = try reader.optionalBool() ?? false
      }
    }
    guard let position = token ?? meta else { throw reader.missingKey(Key.syncToken) }
    syncToken = position
  }

  private static func zoneChanges(_ reader: inout JSONReader) throws(JSONError) -> [ZoneChange] {
    try reader.items { (reader) throws(JSONError) in
      switch try ZoneResult(from: &reader) {
      case .zone(let zone, _, _): .changed(zone)
      case .deleted(let zone): .deleted(zone)
      case .failed(let zone, let error): .failed(zone, error)
      }
    } failed: { item, error in
      .failed(item.zone ?? .unnamed, error)
    }
  }
}
