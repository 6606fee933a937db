package import CloudRecords
package import JSONCoding

/// A field of a record that is to hold a file.
package struct AssetField: Hashable, Sendable {
  package var recordName: String?
  package var recordType: String?
  package var fieldName: String

  fileprivate enum Key: String, JSONKey {
    case recordName, recordType, fieldName
    static let table = JSONKeyTable<Key>()
  }

  package init(recordName: String?, recordType: String?, fieldName: String) {
    self.recordName = recordName
    self.recordType = recordType
    self.fieldName = fieldName
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var name: String?
    self.init(recordName: nil, recordType: nil, fieldName: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.optionalText()
      case .recordType: recordType = try reader.optionalText()
      case .fieldName: name = try reader.string()
      }
    }
    guard let name else { throw reader.missingKey(Key.fieldName) }
    fieldName = name
  }
}

/// `assets/upload`: asks for addresses to send files to.
package struct AssetsUploadRequest: WireRequest, Hashable {
  package var zone: ZoneReference?
  package var fields: [AssetField]

  private enum Key: String, JSONKey {
    case zoneID, tokens
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
      case .zoneID: zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader) }
      case .tokens: fields = try reader.lenientList { (reader) throws(JSONError) in try AssetField(from: &reader) }
      }
    }
    guard let fields else { throw reader.missingKey(Key.tokens) }
    self.fields = fields
  }
}

package struct AssetsUploadResponse: WireResponse, Hashable {
  package struct Token: Hashable, Sendable {
    package var recordName: String
    package var fieldName: String
    package var url: String

    package init(recordName: String, fieldName: String, url: String) {
      self.recordName = recordName
      self.fieldName = fieldName
      self.url = url
    }
  }

  package var tokens: [Token]

  package init(tokens: [Token]) { self.tokens = tokens }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("tokens")
    writer.beginArray()
    for token in tokens {
      writer.beginObject()
      writer.text("recordName", token.recordName)
      writer.text("fieldName", token.fieldName)
      writer.text("url", token.url)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// `assets/rereference`: asks for receipts of files that records hold, so that others can hold them too.
package struct AssetsRereferenceRequest: WireRequest, Hashable {
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
      case .zoneID: zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader) }
      case .assets: fields = try reader.lenientList { (reader) throws(JSONError) in try AssetField(from: &reader) }
      }
    }
    guard let fields else { throw reader.missingKey(Key.assets) }
    self.fields = fields
  }
}

package struct AssetsRereferenceResponse: WireResponse, Hashable {
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

/// What the receiver of a file answers.
package struct AssetReceiptResponse: WireResponse, Hashable {
  package var asset: AssetValue

  package init(asset: AssetValue) { self.asset = asset }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("singleFile")
    writer.asset(asset)
    writer.endObject()
  }
}
