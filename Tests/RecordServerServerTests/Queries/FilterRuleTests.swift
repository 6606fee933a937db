import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The meaning of filters at their edges.
@Suite struct `Edge cases of filters` {
  private func library() async throws -> Client {
    let ada = try await Cloud().user("_ada")
    let full = #""title":{"value":"An Emma"},"tags":{"value":["a"],"type":"STRING_LIST"}"#
    #expect(
      try await ada.modify(
        ("create", #""recordName":"full","recordType":"Book","fields":{\#(full)}"#),
        ("create", #""recordName":"blank","recordType":"Book","fields":{}"#)
      ).records == ["full@1", "blank@2"])
    return ada
  }

  private func ask(_ client: Client, _ comparator: String, _ filter: String) async throws -> Reply {
    try await client.ask(
      .private, .recordsQuery,
      #"{"query":{"recordType":"Book","filterBy":[{"comparator":"\#(comparator)",\#(filter)}]}}"#)
  }

  private func names(_ reply: Reply) -> [String] {
    reply["records"].list.compactMap { $0["recordName"].text }
  }

  @Test func `A record without a list does not contain all of an empty list`() async throws {
    let ada = try await library()
    let nothing = #""fieldName":"tags","fieldValue":{"value":[],"type":"STRING_LIST"}"#
    #expect(names(try await ask(ada, "LIST_CONTAINS_ALL", nothing)) == ["full"])
    #expect(names(try await ask(ada, "NOT_LIST_CONTAINS_ALL", nothing)) == ["blank"])
    let none = try await ask(ada, "LIST_CONTAINS_ANY", nothing)
    #expect(none.status == 200 && names(none) == [], "\(none)")
  }

  @Test(arguments: ["", #""fieldName":"title","#]) func `A text without words matches nothing`(
    field: String
  ) async throws {
    let ada = try await library()
    for comparator in ["CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS"] {
      for text in ["", "  ", "!?"] {
        let reply = try await ask(ada, comparator, #"\#(field)"fieldValue":{"value":"\#(text)"}"#)
        #expect(reply.status == 200 && names(reply) == [], "\(reply)")
      }
      #expect(
        names(try await ask(ada, comparator, #"\#(field)"fieldValue":{"value":"eMMa!"}"#)) == [
          "full"
        ])
    }
    #expect(
      names(
        try await ask(ada, "CONTAINS_ALL_TOKENS", #"\#(field)"fieldValue":{"value":"emma emil"}"#))
        == [])
    #expect(
      names(
        try await ask(ada, "CONTAINS_ANY_TOKENS", #"\#(field)"fieldValue":{"value":"emma emil"}"#))
        == ["full"])
  }

  @Test(arguments: ["IN", "NOT_IN"]) func `A list of values needs its type`(comparator: String)
    async throws
  {
    let ada = try await library()
    let reply = try await ask(ada, comparator, #""fieldName":"title","fieldValue":{"value":["a"]}"#)
    #expect(reply["serverErrorCode"].text == "BAD_REQUEST")
    #expect(
      reply["reason"].text?.contains("\(comparator) on “title” needs the type of its list") == true,
      "\(reply)")
    let stated = try await ask(
      ada, comparator, #""fieldName":"title","fieldValue":{"value":["a"],"type":"STRING_LIST"}"#)
    #expect(stated.status == 200)
  }

  /// Several filters of one field read its value once.
  @Test func `Several filters on one field all apply`() async throws {
    let ada = try await library()
    let many = #"""
      {"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"a"}},\#
      {"comparator":"NOT_LIST_CONTAINS_ANY","fieldName":"tags","fieldValue":{"value":["b","c"],"type":"STRING_LIST"}},\#
      {"comparator":"LIST_MEMBER_BEGINS_WITH","fieldName":"tags","fieldValue":{"value":""}}
      """#
    let reply = try await ada.ask(
      .private, .recordsQuery, #"{"query":{"recordType":"Book","filterBy":[\#(many)]}}"#)
    #expect(names(reply) == ["full"], "\(reply)")
    let both = #"""
      {"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"a"}},\#
      {"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"b"}}
      """#
    let none = try await ada.ask(
      .private, .recordsQuery, #"{"query":{"recordType":"Book","filterBy":[\#(both)]}}"#)
    #expect(none.status == 200 && names(none) == [], "\(none)")
  }
}
