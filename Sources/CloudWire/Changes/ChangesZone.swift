package import CloudRecords
package import JSONCoding

/// The parameters of a request for one zone's feed.
package struct ZoneFeedInput: Hashable, Sendable {
  package var zone: ZoneReference
  package var syncToken: String?
  package var resultsLimit: Int?
  package var desiredKeys: [String]?
  package var desiredRecordTypes: [String]?
  /// Whether the newest changes come first.
  package var reverse: Bool?
  package var numbersAsStrings: Bool?

  package init(zone: ZoneReference) { self.zone = zone }

  fileprivate enum Key: String, JSONKey {
    case zoneID, syncToken, resultsLimit, desiredKeys, desiredRecordTypes, reverse, numberAsStrings,
      numbersAsStrings
    case zones
    static let table = JSONKeyTable<Key>()
  }

  /// Reads a member that a zone and a whole request have in common.
  fileprivate mutating func take(_ key: Key, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case .zoneID: zone = try ZoneReference(from: &reader)
    case .syncToken: syncToken = try reader.optionalText()
    case .resultsLimit: resultsLimit = try reader.optionalCount()
    case .desiredKeys: desiredKeys = try reader.optionalTexts()
    case .desiredRecordTypes: desiredRecordTypes = try reader.optionalTexts()
    case .reverse: reverse = try reader.optionalBool()
    case .numberAsStrings, .numbersAsStrings: numbersAsStrings = try reader.optionalBool()
    case .zones: try reader.skip()
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(zone: ZoneReference())
    var isNamed = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      isNamed = isNamed || key == .zoneID
      try take(key, from: &reader)
    }
    if !isNamed { throw reader.missingKey(Key.zoneID) }
  }

  /// Returns the zone's parameters, with missing ones taken from the whole request.
  fileprivate func filled(from request: ZoneFeedInput) -> ZoneFeedInput {
    var filled = self
    filled.resultsLimit = resultsLimit ?? request.resultsLimit
    filled.desiredKeys = desiredKeys ?? request.desiredKeys
    filled.desiredRecordTypes = desiredRecordTypes ?? request.desiredRecordTypes
    filled.reverse = reverse ?? request.reverse
    filled.numbersAsStrings = numbersAsStrings ?? request.numbersAsStrings
    return filled
  }
}

/// `changes/zone`: fetches the changes of zones, each since its own token.
package struct ChangesZoneRequest: DatabaseRequest, Hashable {
  package typealias Response = ChangesZoneResponse
  package static let endpoint = Endpoint.changesZone

  package var zones: [ZoneFeedInput]

  package init(zones: [ZoneFeedInput]) { self.zones = zones }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var defaults = ZoneFeedInput(zone: ZoneReference())
    var zones: [ZoneFeedInput]?
    var object = try reader.beginObject(ZoneFeedInput.Key.self)
    while let key = try reader.nextKey(of: &object) {
      if key == .zones {
        zones = try reader.lenientList(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
          try ZoneFeedInput(from: &reader)
        }
      } else {
        try defaults.take(key, from: &reader)
      }
    }
    guard let zones else { throw reader.missingKey(ZoneFeedInput.Key.zones) }
    self.zones = zones.map { $0.filled(from: defaults) }
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("zones")
    writer.beginArray()
    for feed in zones {
      writer.beginObject()
      writer.feed(feed)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// `records/changes`: fetches the feed of one zone, through the older endpoint.
package struct RecordsChangesRequest: DatabaseRequest, Hashable {
  package typealias Response = RecordsChangesResponse
  package static let endpoint = Endpoint.recordsChanges

  package var feed: ZoneFeedInput

  package init(feed: ZoneFeedInput) { self.feed = feed }

  package init(from reader: inout JSONReader) throws(JSONError) {
    feed = ZoneFeedInput(zone: ZoneReference())
    var object = try reader.beginObject(ZoneFeedInput.Key.self)
    while let key = try reader.nextKey(of: &object) { try feed.take(key, from: &reader) }
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.feed(feed)
    writer.endObject()
  }
}

/// One page of a zone's feed.
package struct ZoneFeedPage: Hashable, Sendable {
  package var records: [RecordResult] = []
  /// The JSON array of the records, if the server wrote it directly from its storage.
  package private(set) var writtenRecords: [UInt8]?
  package var syncToken: String
  package var moreComing: Bool

  package init(records: [RecordResult], syncToken: String, moreComing: Bool) {
    self.records = records
    self.syncToken = syncToken
    self.moreComing = moreComing
  }

  /// Creates a page that is only sent.
  ///
  /// A page is long, so no values are created for its contents.
  ///
  /// - Parameter records: A JSON array as `JSONWriter.result` and `JSONWriter.record` write it.
  package init(writtenRecords records: [UInt8], syncToken: String, moreComing: Bool) {
    self.init(records: [], syncToken: syncToken, moreComing: moreComing)
    writtenRecords = records
  }
}

package struct ChangesZoneResponse: ClientResponse, Hashable {
  package enum Item: Hashable, Sendable {
    case page(RecordZoneIdentifier, ZoneFeedPage)
    case failed(RecordZoneIdentifier, CloudError)
  }

  package var zones: [Item]

  package init(zones: [Item]) { self.zones = zones }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("zones")
    writer.beginArray()
    for item in zones {
      writer.beginObject()
      writer.key("zoneID")
      switch item {
      case .page(let zone, let page):
        writer.zone(zone)
        writer.page(page)
      case .failed(let zone, let error):
        writer.zone(zone)
        writer.errorMembers(error)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

package struct RecordsChangesResponse: ClientResponse, Hashable {
  package var page: ZoneFeedPage
  /// The requested order, or nil if the request did not specify one.
  package var reverse: Bool?

  package init(page: ZoneFeedPage, reverse: Bool? = nil) {
    self.page = page
    self.reverse = reverse
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.page(page)
    if let reverse { writer.bool("reverse", reverse) }
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func feed(_ feed: ZoneFeedInput) {
    zone("zoneID", ifPresent: feed.zone)
    text("syncToken", ifPresent: feed.syncToken)
    count("resultsLimit", ifPresent: feed.resultsLimit)
    texts("desiredKeys", ifPresent: feed.desiredKeys)
    texts("desiredRecordTypes", ifPresent: feed.desiredRecordTypes)
    if let reverse = feed.reverse { bool("reverse", reverse) }
    if let asStrings = feed.numbersAsStrings {
      // Apple documents the first name for this endpoint, and the second for the older one.
      bool("numberAsStrings", asStrings)
      bool("numbersAsStrings", asStrings)
    }
  }

  fileprivate mutating func page(_ page: ZoneFeedPage) {
    if let written = page.writtenRecords {
      key("records")
      raw(written.span)
    } else {
      results("records", page.records)
    }
    text("syncToken", page.syncToken)
    bool("moreComing", page.moreComing)
  }
}
