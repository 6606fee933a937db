import CloudRecords
import CloudWire
import Testing

/// Requests that are a list of items.
///
/// Clients omit the brackets, add unknown items, or send nothing.
@Suite struct `Lists in requests` {
  private func zones(_ body: String) throws -> [String] {
    try ZonesModifyRequest(body: Array(body.utf8)).operations.map {
      "\($0.kind.rawValue) \($0.zone.zoneName)"
    }
  }

  private static let operation =
    #"{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}"#

  @Test(arguments: [
    (#"{"operations":[OPERATION,OPERATION]}"#, ["create Notes", "create Notes"]),
    (#"{"operations":OPERATION}"#, ["create Notes"]),
    (#"{"operations":[]}"#, []),
    (#"{"operations":null}"#, []),
    (#"{"later":{"a":[1,2]},"operations":[OPERATION],"more":null}"#, ["create Notes"]),
  ])
  func `Lists are read with and without brackets`(body: String, expected: [String]) throws {
    #expect(try zones(body.replacing("OPERATION", with: Self.operation)) == expected)
  }

  @Test(arguments: [
    (#"{}"#, "operations"), (#"{"operation":[]}"#, "operations"), (#"[]"#, "object"),
    (#"{"operations":1}"#, "object"),
    (#"{"operations":[OPERATION,null]}"#, "object"),
    (#"{"operations":[{"zone":{}}]}"#, "operationType"),
    (#"{"operations":[{"operationType":"make"}]}"#, "create or delete"),
    (#"{"operations":[OPERATION"#, ""),
  ])
  func `A rejected list has a reason`(body: String, reason: String) throws {
    let error = #expect(throws: CloudError.self) {
      try zones(body.replacing("OPERATION", with: Self.operation))
    }
    #expect(error?.code == .badRequest)
    #expect(reason.isEmpty || error?.reason.contains(reason) == true, "\(error?.reason ?? "-")")
  }

  @Test(arguments: ["ownerRecordName", "ownerName"])
  func `A zone's owner is read, whether the zone is bare or in a zoneID`(key: String) throws {
    let zone = #"{"zoneName":"Notes","\#(key)":"_bob"}"#
    let body = #"{"zones":[\#(zone),{"zoneID":\#(zone)}]}"#
    let reference = ZoneReference(zoneName: "Notes", ownerName: "_bob")
    #expect(try ZonesLookupRequest(body: Array(body.utf8)).zones == [reference, reference])
  }

  @Test func `Lists of other requests are read in the same way`() throws {
    let subscription = #"{"subscriptionID":"s"}"#
    #expect(
      try SubscriptionsLookupRequest(body: Array(#"{"subscriptions":\#(subscription)}"#.utf8))
        .identifiers == ["s"])
    #expect(
      try ZonesLookupRequest(body: Array(#"{"zones":{"zoneName":"a"}}"#.utf8)).zones.map(\.zoneName)
        == ["a"])
    #expect(try SharesResolveRequest(body: Array(#"{"shortGUIDs":null}"#.utf8)).shares.isEmpty)
    #expect(throws: CloudError.self) {
      try KeyBagsLookupRequest(body: Array(#"{"zones":[]}"#.utf8))
    }
  }
}
