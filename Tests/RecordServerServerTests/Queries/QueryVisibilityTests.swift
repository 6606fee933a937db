import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The records that queries show to each user.
@Suite struct `Visibility in queries` {
  private func names(_ reply: Reply) -> [String] {
    reply["records"].list.compactMap { $0["recordName"].text }.sorted()
  }

  private static func cloud(indexed: Bool) -> Cloud {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = indexed ? 0 : .max
    return Cloud(limits: limits)
  }

  @Test(arguments: [false, true]) func `Queries show only the shared part of a zone`(indexed: Bool)
    async throws
  {
    let zone = try await SharedZone(Self.cloud(indexed: indexed))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"), .save("child", under: .record("root")), .save("secret"))
    try await zone.share("s", of: "root", with: [(bob, "READ_ONLY")])
    let place = Client.zoneID(SharedZone.name, "_ada")
    let named =
      #","filterBy":[{"comparator":"IN","systemFieldName":"recordName","fieldValue":{"value":[{"recordName":"child"},{"recordName":"secret"}],"type":"REFERENCE_LIST"}}]"#
    for (query, expected) in [("", ["child", "root"]), (named, ["child"])] {
      for _ in 0..<2 {
        let reply = try await bob.ask(
          .shared, .recordsQuery, #"{"query":{"recordType":"Node"\#(query)},"zoneID":\#(place)}"#)
        #expect(names(reply) == expected, "\(reply)")
        try await zone.cloud.server.runMaintenance()
      }
    }
  }

  @Test(arguments: [false, true])
  func `Public records of a type that the world may not read are hidden`(
    indexed: Bool
  ) async throws {
    let cloud = Self.cloud(indexed: indexed)
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let anonymous = try await cloud.client(.anonymous)
    try await SchemaAdministrator(cloud).importing(
      """
      DEFINE SCHEMA RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, t STRING QUERYABLE, GRANT CREATE TO "_icloud", \
      GRANT READ, WRITE TO "_creator");
      """)
    _ = try await ada.modify(
      in: .public, ("create", #""recordName":"a","recordType":"Note","fields":{}"#))
    _ = try await bob.modify(
      in: .public, ("create", #""recordName":"b","recordType":"Note","fields":{}"#))
    for _ in 0..<2 {
      for (client, expected) in [(ada, ["a"]), (bob, ["b"]), (anonymous, [])] {
        let reply = try await client.ask(
          .public, .recordsQuery, #"{"query":{"recordType":"Note"}}"#)
        #expect(reply.status == 200 && names(reply) == expected, "\(reply)")
      }
      try await cloud.server.runMaintenance()
    }
  }
}
