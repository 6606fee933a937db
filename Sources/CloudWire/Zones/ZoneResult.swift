package import CloudRecords
package import JSONCoding

/// The result for one zone.
package enum ZoneResult: Hashable, Sendable {
  /// An existing zone.
  ///
  /// - `shareName`: The record name of the share of the whole zone, if the caller takes part in it.
  ///   Parhelion adds this member in the form of a record's share. Other clients ignore it.
  case zone(RecordZoneIdentifier, syncToken: String, shareName: String? = nil)
  case deleted(RecordZoneIdentifier)
  case failed(RecordZoneIdentifier, CloudError)
}

extension JSONWriter {
  mutating func result(_ result: ZoneResult) {
    beginObject()
    key("zoneID")
    switch result {
    case .zone(let zone, let token, let shareName):
      self.zone(zone)
      text("syncToken", token)
      bool("atomic", !zone.isDefaultZone)
      share(ifPresent: shareName, in: zone)
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

/// The zones that a request fetched or changed.
package struct ZonesResponse: ClientResponse, Hashable {
  package var zones: [ZoneResult]

  package init(zones: [ZoneResult]) { self.zones = zones }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.results("zones", zones)
    writer.endObject()
  }
}

// MARK: - Reading

extension ZonesResponse {
  private enum Key: String, JSONKey {
    case zones
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var zones: [ZoneResult]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      zones = try reader.items { (reader) throws(JSONError) in
        try ZoneResult(from: &reader)
      } failed: { item, error in
        .failed(item.zone ?? .unnamed, error)
      }
    }
    guard let zones else { throw reader.missingKey(Key.zones) }
    self.init(zones: zones)
  }
}

extension ZoneResult {
  private enum Key: String, JSONKey {
    case zoneID, syncToken, deleted, share, serverErrorCode
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var zone: RecordZoneIdentifier?
    var token = ""
    var shareName: String?
    var isDeleted = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneID: zone = try RecordZoneIdentifier(answered: &reader)
      case .syncToken: token = try reader.optionalText() ?? ""
      case .deleted: isDeleted = try reader.optionalBool() ?? false
      case .share: shareName = try reader.linkedName()
      case .serverErrorCode: throw reader.itemIsError()
      }
    }
    guard let zone else { throw reader.missingKey(Key.zoneID) }
    self = isDeleted ? .deleted(zone) : .zone(zone, syncToken: token, shareName: shareName)
  }
}

extension RecordZoneIdentifier {
  /// The identifier for an error that names no zone.
  static let unnamed = RecordZoneIdentifier(zoneName: "", ownerName: "")
}
