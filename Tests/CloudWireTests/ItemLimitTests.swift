import CloudRecords
import CloudWire
import Testing

/// Lists that are too long for any handler are not read to their end.
@Suite struct `Item limits` {
  struct Kind: Sendable, CustomTestStringConvertible {
    let what: String
    let read: @Sendable ([UInt8]) throws(CloudError) -> Int
    let body: @Sendable (Int) -> String

    init(
      _ what: String, _ before: String, _ item: String, _ after: String = "]}",
      _ read: @escaping @Sendable ([UInt8]) throws(CloudError) -> Int
    ) {
      (self.what, self.read) = (what, read)
      body = { before + Array(repeating: item, count: $0).joined(separator: ",") + after }
    }

    var testDescription: String { what }
  }

  static let kinds: [Kind] = [
    Kind("zones looked up", #"{"zones":["#, "{}") { body throws(CloudError) in
      try ZonesLookupRequest(body: body).zones.count
    },
    Kind("zones with changes", #"{"zones":["#, #"{"zoneID":{}}"#) { body throws(CloudError) in
      try ChangesZoneRequest(body: body).zones.count
    },
    Kind("operations", #"{"operations":["#, #"{"operationType":"delete","record":{}}"#) {
      body throws(CloudError) in
      try RecordsModifyRequest(body: body).operations.count
    },
    Kind("records looked up", #"{"records":["#, #"{"recordName":"a"}"#) { body throws(CloudError) in
      try RecordsLookupRequest(body: body).records.count
    },
    Kind("users", #"{"lookupInfos":["#, #"{"userRecordName":"a"}"#) { body throws(CloudError) in
      try UsersDiscoverRequest(body: body).wanted.count
    },
    Kind(
      "participants", #"{"operations":[{"operationType":"create","record":{"participants":["#, "{}",
      "]}}]}"
    ) { body throws(CloudError) in
      try RecordsModifyRequest(body: body).operations[0].record.participants?.count ?? 0
    },
    Kind(
      "filters", #"{"query":{"recordType":"T","filterBy":["#,
      #"{"fieldName":"a","comparator":"EQUALS"}"#, "]}}"
    ) {
      body throws(CloudError) in
      try RecordsQueryRequest(body: body).query.filters.count
    },
  ]

  /// Lists of requested names, and of texts in a notification.
  static let names: [Kind] = [
    Kind("fields wanted of changes", #"{"zones":[{"zoneID":{},"desiredKeys":["#, #""a""#, "]}]}") {
      body throws(CloudError) in
      try ChangesZoneRequest(body: body).zones[0].desiredKeys?.count ?? 0
    },
    Kind(
      "types wanted of changes", #"{"zones":[{"zoneID":{},"desiredRecordTypes":["#, #""a""#, "]}]}"
    ) {
      body throws(CloudError) in
      try ChangesZoneRequest(body: body).zones[0].desiredRecordTypes?.count ?? 0
    },
    Kind("fields wanted of a batch", #"{"operations":[],"desiredKeys":["#, #""a""#) {
      body throws(CloudError) in
      try RecordsModifyRequest(body: body).desiredKeys?.count ?? 0
    },
    Kind(
      "fields wanted of an operation",
      #"{"operations":[{"operationType":"delete","record":{},"desiredKeys":["#,
      #""a""#, "]}]}"
    ) { body throws(CloudError) in
      try RecordsModifyRequest(body: body).operations[0].desiredKeys?.count ?? 0
    },
    Kind(
      "fields wanted of a saved record",
      #"{"operations":[{"operationType":"create","record":{"desiredKeys":["#,
      #""a""#, "]}}]}"
    ) { body throws(CloudError) in
      try RecordsModifyRequest(body: body).operations[0].record.desiredKeys?.count ?? 0
    },
    Kind("fields wanted of a look-up", #"{"records":[],"desiredKeys":["#, #""a""#) {
      body throws(CloudError) in
      try RecordsLookupRequest(body: body).desiredKeys?.count ?? 0
    },
    Kind(
      "fields wanted of a record", #"{"records":[{"recordName":"a","desiredKeys":["#, #""a""#,
      "]}]}"
    ) {
      body throws(CloudError) in
      try RecordsLookupRequest(body: body).records[0].desiredKeys?.count ?? 0
    },
    Kind("fields wanted of a query", #"{"query":{"recordType":"T"},"desiredKeys":["#, #""a""#) {
      body throws(CloudError) in
      try RecordsQueryRequest(body: body).desiredKeys?.count ?? 0
    },
    Kind(
      "fields wanted of a share's root", #"{"shortGUIDs":[{"value":"a","rootRecordDesiredKeys":["#,
      #""a""#, "]}]}"
    ) { body throws(CloudError) in
      try SharesResolveRequest(body: body).shares[0].desiredKeys?.count ?? 0
    },
    Kind(
      "fields of a notification", subscription(#""notificationInfo":{"additionalFields":["#),
      #""a""#, "]}}}]}"
    ) {
      body throws(CloudError) in
      try SubscriptionsModifyRequest(body: body).operations[0].subscription.notification?
        .additionalFields.count ?? 0
    },
    Kind(
      "texts of an alert", subscription(#""notificationInfo":{"alertLocalizationArgs":["#), #""a""#,
      "]}}}]}"
    ) {
      body throws(CloudError) in
      try SubscriptionsModifyRequest(body: body).operations[0].subscription.notification?.body
        .arguments.count ?? 0
    },
    Kind("events", subscription(#""firesOn":["#), #""create""#, "]}}]}") {
      body throws(CloudError) in
      try SubscriptionsModifyRequest(body: body).operations[0].subscription.firesOn?.count ?? 0
    },
  ]

  private static func subscription(_ members: String) -> String {
    #"{"operations":[{"operationType":"create","subscription":{\#(members)"#
  }

  @Test(arguments: kinds + names) func `Items are read up to the limit`(kind: Kind) throws {
    #expect(try kind.read(Array(kind.body(20_000).utf8)) == 20_000)
    let error = #expect(throws: CloudError.self) { try kind.read(Array(kind.body(20_001).utf8)) }
    #expect(
      error?.code == .badRequest && error?.reason.contains("20000 items") == true,
      "\(String(describing: error))")
  }

  @Test func `A request has at most a million elements`() throws {
    let body = #"{"zones":[],"others":[\#(String(repeating: "0,", count: 1 << 20))0]}"#
    let error = #expect(throws: CloudError.self) {
      try ZonesLookupRequest(body: Array(body.utf8))
    }
    #expect(
      error?.code == .badRequest && error?.reason.contains("more than 1048576 elements") == true,
      "\(String(describing: error))")
  }

  @Test func `Lists of values may be longer than other lists`() throws {
    let list = Array(repeating: "1", count: 20_001).joined(separator: ",")
    let body =
      #"{"operations":[{"operationType":"create","record":{"fields":{"a":{"type":"INT64_LIST","value":[\#(list)]}}}}]}"#
    #expect(try RecordsModifyRequest(body: Array(body.utf8)).operations[0].record.fields.count == 1)
  }
}
