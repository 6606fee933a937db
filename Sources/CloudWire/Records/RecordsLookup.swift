import CloudRecords
package import JSONCoding

/// `records/lookup`: fetches records by name.
package struct RecordsLookupRequest: DatabaseRequest, Hashable {
  package typealias Response = RecordsLookupResponse
  package static let endpoint = Endpoint.recordsLookup

  package struct Wanted: Hashable, Sendable {
    package var recordName: String
    package var zone: ZoneReference?
    package var desiredKeys: [String]?

    package init(recordName: String, zone: ZoneReference? = nil, desiredKeys: [String]? = nil) {
      self.recordName = recordName
      self.zone = zone
      self.desiredKeys = desiredKeys
    }
  }

  package var records: [Wanted] = []
  package var zone: ZoneReference?
  package var desiredKeys: [String]?
  package var numbersAsStrings = false

  package init() {}
}

package struct RecordsLookupResponse: ClientResponse, Hashable {
  package var records: [RecordResult]
  package var syncToken: String?

  package init(records: [RecordResult], syncToken: String? = nil) {
    self.records = records
    self.syncToken = syncToken
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.results("records", records)
    writer.text("syncToken", ifPresent: syncToken)
    writer.endObject()
  }
}

// MARK: - Coding

extension RecordsLookupRequest {
  private enum Key: String, JSONKey {
    case records, zoneID, desiredKeys, numbersAsStrings, numberAsStrings
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var isGiven = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .records:
        records = try reader.lenientList(most: Limits.itemsOfRequest) {
          (reader) throws(JSONError) in
          try Wanted(from: &reader)
        }
        isGiven = true
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .desiredKeys: desiredKeys = try reader.optionalTexts()
      case .numbersAsStrings, .numberAsStrings:
        numbersAsStrings = try reader.optionalBool() ?? false
      }
    }
    if !isGiven { throw reader.missingKey(Key.records) }
  }
}

extension RecordsLookupRequest {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("records")
    writer.beginArray()
    for wanted in records {
      writer.beginObject()
      writer.text("recordName", wanted.recordName)
      writer.zone("zoneID", ifPresent: wanted.zone)
      writer.texts("desiredKeys", ifPresent: wanted.desiredKeys)
      writer.endObject()
    }
    writer.endArray()
    writer.zone("zoneID", ifPresent: zone)
    writer.texts("desiredKeys", ifPresent: desiredKeys)
    if numbersAsStrings { writer.bool("numbersAsStrings", true) }
    writer.endObject()
  }
}

extension RecordsLookupResponse {
  package init(from reader: inout JSONReader) throws(JSONError) {
    let page = try RecordsPage(from: &reader)
    self.init(records: page.records, syncToken: page.syncToken)
  }
}

extension RecordsLookupRequest.Wanted {
  private enum Key: String, JSONKey {
    case recordName, zoneID, desiredKeys
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: String?
    self.init(recordName: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: name = try reader.string()
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .desiredKeys: desiredKeys = try reader.optionalTexts()
      }
    }
    guard let name else { throw reader.missingKey(Key.recordName) }
    recordName = name
  }
}
