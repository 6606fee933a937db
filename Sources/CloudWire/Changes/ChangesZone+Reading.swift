import CloudRecords
package import JSONCoding

extension ChangesZoneResponse {
  private enum Key: String, JSONKey {
    case zones
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var zones: [Item]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      zones = try reader.items { (reader) throws(JSONError) in
        try Item(from: &reader)
      } failed: { item, error in
        .failed(item.zone ?? .unnamed, error)
      }
    }
    guard let zones else { throw reader.missingKey(Key.zones) }
    self.init(zones: zones)
  }
}

extension ChangesZoneResponse.Item {
  private enum Key: String, JSONKey {
    case zoneID, records, syncToken, moreComing, serverErrorCode
    static let table = JSONKeyTable<Key>()
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var zone: RecordZoneIdentifier?
    var place: JSONReader.SavedPosition?
    var records: [RecordResult]?
    var (token, moreComing): (String?, Bool) = (nil, false)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneID: zone = try RecordZoneIdentifier(answered: &reader)
      case .records:
        // Records that name no zone belong to the zone of this JSON object, which may follow later.
        if let zone {
          records = try RecordResult.list(&reader, in: zone)
        } else {
          place = try reader.skipForLater()
        }
      case .syncToken: token = try reader.optionalText()
      case .moreComing: moreComing = try reader.optionalBool() ?? false
      case .serverErrorCode: throw reader.itemIsError()
      }
    }
    guard let zone else { throw reader.missingKey(Key.zoneID) }
    guard let token else { throw reader.missingKey(Key.syncToken) }
    if let place {
      records = try reader.read(place) { (reader) throws(JSONError) in
        try RecordResult.list(&reader, in: zone)
      }
    }
    self = .page(
      zone, ZoneFeedPage(records: records ?? [], syncToken: token, moreComing: moreComing))
  }
}

extension RecordsChangesResponse {
  private enum Key: String, JSONKey {
    case syncToken
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let page = try RecordsPage(from: &reader)
    guard let token = page.syncToken else { throw reader.missingKey(Key.syncToken) }
    self.init(
      page: ZoneFeedPage(records: page.records, syncToken: token, moreComing: page.moreComing),
      reverse: page.reverse)
  }
}
