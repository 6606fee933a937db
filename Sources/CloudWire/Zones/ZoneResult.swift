package import CloudRecords
package import JSONCoding

/// What is told of one zone.
package enum ZoneResult: Hashable, Sendable {
  case zone(RecordZoneIdentifier, syncToken: String)
  case deleted(RecordZoneIdentifier)
  case failed(RecordZoneIdentifier, CloudError)
}

extension JSONWriter {
  mutating func result(_ result: ZoneResult) {
    beginObject()
    key("zoneID")
    switch result {
    case .zone(let zone, let token):
      self.zone(zone)
      text("syncToken", token)
      bool("atomic", !zone.isDefaultZone)
    case .deleted(let zone):
      self.zone(zone)
      bool("deleted", true)
    case .failed(let zone, let error):
      self.zone(zone)
      errorMembers(error)
    }
    endObject()
  }

  mutating func results(_ key: StaticString, _ results: [ZoneResult]) {
    self.key(key)
    beginArray()
    for result in results { self.result(result) }
    endArray()
  }
}

/// The zones that a request asked for or changed.
package struct ZonesResponse: WireResponse, Hashable {
  package var zones: [ZoneResult]

  package init(zones: [ZoneResult]) { self.zones = zones }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.results("zones", zones)
    writer.endObject()
  }
}
