package import JSONCoding

/// `assets/upload`: requests addresses for uploading files.
package struct AssetsUploadRequest: DatabaseRequest, Hashable {
  package typealias Response = AssetsUploadResponse
  package static let endpoint = Endpoint.assetsUpload

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
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .tokens:
        fields = try reader.lenientList(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
          try AssetField(from: &reader)
        }
      }
    }
    guard let fields else { throw reader.missingKey(Key.tokens) }
    self.fields = fields
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zone("zoneID", ifPresent: zone)
    writer.assetFields("tokens", fields)
    writer.endObject()
  }
}

/// Upload addresses, one for each field of the request, in the same order.
package struct AssetsUploadResponse: ClientResponse, Hashable {
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

// MARK: - Reading

extension AssetsUploadResponse {
  private enum Key: String, JSONKey {
    case tokens
    static let table = JSONKeyTable<Key>()
  }

  /// Reads the addresses.
  ///
  /// A malformed one makes the whole response unusable, since nothing is uploaded yet.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      tokens: try reader.list(under: Key.tokens) { (reader) throws(JSONError) in
        try Token(from: &reader)
      })
  }
}

extension AssetsUploadResponse.Token {
  private enum Key: String, JSONKey {
    case recordName, fieldName, url
    static let table = JSONKeyTable<Key>()
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(recordName: "", fieldName: "", url: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.optionalText() ?? ""
      case .fieldName: fieldName = try reader.optionalText() ?? ""
      case .url: url = try reader.string()
      }
    }
    if url.isEmpty { throw reader.missingKey(Key.url) }
  }
}
