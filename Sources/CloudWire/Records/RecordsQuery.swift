import CloudRecords
package import JSONCoding

/// `records/query`: fetches the records that match a query.
package struct RecordsQueryRequest: DatabaseRequest, Hashable {
  package typealias Response = RecordsQueryResponse
  package static let endpoint = Endpoint.recordsQuery

  package var query: QueryInput
  package var zone: ZoneReference?
  package var zoneWide = false
  package var resultsLimit: Int?
  package var continuationMarker: String?
  package var desiredKeys: [String]?
  package var numbersAsStrings = false

  package init(query: QueryInput) { self.query = query }
}

package struct RecordsQueryResponse: ClientResponse, Hashable {
  package var records: [RecordResult]
  /// The start of the next page, or nil on the last page.
  package var continuationMarker: String?
  package var syncToken: String?

  package init(records: [RecordResult], continuationMarker: String?, syncToken: String? = nil) {
    self.records = records
    self.continuationMarker = continuationMarker
    self.syncToken = syncToken
  }

  package func write(to writer: inout JSONWriter) {
    Self.write(to: &writer, syncToken: syncToken) { writer in
      for result in records { writer.result(result) }
      return continuationMarker
    }
  }

  /// Writes a response whose results are created one at a time and not kept.
  ///
  /// - Parameter results: Writes each result, and returns the start of the next page, or nil on the
  ///   last page.
  package static func write(
    to writer: inout JSONWriter, syncToken: String?, results: (inout JSONWriter) -> String?
  ) {
    writer.beginObject()
    writer.key("records")
    writer.beginArray()
    let marker = results(&writer)
    writer.endArray()
    writer.text("continuationMarker", ifPresent: marker)
    writer.text("syncToken", ifPresent: syncToken)
    writer.endObject()
  }
}

// MARK: - Coding

extension RecordsQueryRequest {
  private enum Key: String, JSONKey {
    case query, zoneID, zoneWide, resultsLimit, continuationMarker, desiredKeys, numbersAsStrings,
      numberAsStrings
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var query: QueryInput?
    self.init(query: QueryInput(recordType: ""))
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .query: query = try QueryInput(from: &reader)
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .zoneWide: zoneWide = try reader.optionalBool() ?? false
      case .resultsLimit: resultsLimit = try reader.optionalCount()
      case .continuationMarker: continuationMarker = try reader.optionalText()
      case .desiredKeys: desiredKeys = try reader.optionalTexts()
      case .numbersAsStrings, .numberAsStrings:
        numbersAsStrings = try reader.optionalBool() ?? false
      }
    }
    guard let query else { throw reader.missingKey(Key.query) }
    self.query = query
  }
}

extension RecordsQueryRequest {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("query")
    writer.query(query)
    writer.zone("zoneID", ifPresent: zone)
    if zoneWide { writer.bool("zoneWide", true) }
    writer.count("resultsLimit", ifPresent: resultsLimit)
    writer.text("continuationMarker", ifPresent: continuationMarker)
    writer.texts("desiredKeys", ifPresent: desiredKeys)
    if numbersAsStrings { writer.bool("numbersAsStrings", true) }
    writer.endObject()
  }
}

extension RecordsQueryResponse {
  package init(from reader: inout JSONReader) throws(JSONError) {
    let page = try RecordsPage(from: &reader)
    self.init(
      records: page.records, continuationMarker: page.continuationMarker, syncToken: page.syncToken)
  }
}
