package import CloudRecords
package import JSONCoding

/// `assets/rereference`: requests receipts of files in records, so that other records can reference
/// them.
package struct AssetsRereferenceRequest: DatabaseRequest, Hashable {
  package typealias Response = AssetsRereferenceResponse
  package static let endpoint = Endpoint.assetsRereference

  package var zone: ZoneReference?
  package var fields: [AssetField]

  private enum Key: String, JSONKey {
    case zoneID, assets
    static let table = JSONKeyTable<Key>()
  }

  package init(zone: ZoneReference? = nil, fields: [AssetField]) {
    self.zone = zone
    self.fields = fields
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var fields: [AssetField]?
    self.init(fields: [])
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .assets:
        fields = try reader.lenientList(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
          try AssetField(from: &reader)
        }
      }
    }
    guard let fields else { throw reader.missingKey(Key.assets) }
    self.fields = fields
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zone("zoneID", ifPresent: zone)
    writer.assetFields("assets", fields)
    writer.endObject()
  }
}

/// Receipts of files, one for each field of the request, in the same order.
package struct AssetsRereferenceResponse: ClientResponse, Hashable {
  package enum Item: Hashable, Sendable {
    case asset(AssetValue)
    case failed(recordName: String, CloudError)
  }

  package var assets: [Item]

  package init(assets: [Item]) { self.assets = assets }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("assets")
    writer.beginArray()
    for item in assets {
      switch item {
      case .asset(let asset): writer.asset(asset)
      case .failed(let name, let error):
        writer.beginObject()
        writer.text("recordName", name)
        writer.errorMembers(error)
        writer.endObject()
      }
    }
    writer.endArray()
    writer.endObject()
  }
}

// MARK: - Reading

extension AssetsRereferenceResponse {
  private enum Key: String, JSONKey {
    case assets
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var assets: [Item]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      assets = try reader.items { (reader) throws(JSONError) in
        .asset(try AssetValue(from: &reader))
      } failed: { item, error in
        .failed(recordName: item.recordName ?? "", error)
      }
    }
    guard let assets else { throw reader.missingKey(Key.assets) }
    self.init(assets: assets)
  }
}
