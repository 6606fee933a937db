import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Queries with an index whose entries are read in several parts.
@Suite struct `Multi-part indexes` {
  private func library() async throws -> Client {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 0
    let ada = try await Cloud(limits: limits).user("_ada")
    for number in 0..<12 {
      // Every third record has both tags. The names and tags of the others have opposite orders.
      let tags = number % 3 == 0 ? #"["a","b"]"# : number < 6 ? #"["b"]"# : #"["a"]"#
      let fields =
        #""tags":{"value":\#(tags),"type":"STRING_LIST"},"pages":{"value":\#(number % 4),"type":"INT64"},"rank":{"value":\#(-number),"type":"INT64"}"#
      _ = try await ada.modify(
        (
          "create",
          #""recordName":"n\#(number / 10)\#(number % 10)","recordType":"Book","fields":{\#(fields)}"#
        ))
    }
    return ada
  }

  /// The names on all pages of a query that uses an index.
  private func names(_ client: Client, _ query: String) async throws -> [String] {
    var names: [String] = []
    var marker: String?
    repeat {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      let reply = try await client.ask(
        .private, .recordsQuery,
        #"{"query":{"recordType":"Book"\#(query)},"resultsLimit":2\#(next)}"#)
      try #require(reply.status == 200 && names.count < 50, "\(reply)")
      names += reply["records"].list.compactMap { $0["recordName"].text }
      marker = reply["continuationMarker"].text
    } while marker != nil
    return names
  }

  private static let tagged =
    #","filterBy":[{"comparator":"LIST_CONTAINS_ANY","fieldName":"tags","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}}]"#
  private static let paged =
    #","filterBy":[{"comparator":"IN","fieldName":"pages","fieldValue":{"value":[3,0,2],"type":"INT64_LIST"}}]"#

  @Test(arguments: [
    (tagged, Array(0..<12)), (paged, [0, 2, 3, 4, 6, 7, 8, 10, 11]),
    (paged + #","sortBy":[{"fieldName":"pages"}]"#, [0, 4, 8, 2, 6, 10, 3, 7, 11]),
    (
      paged + #","sortBy":[{"fieldName":"pages","ascending":false}]"#,
      [3, 7, 11, 2, 6, 10, 0, 4, 8]
    ),
    (
      paged
        + #","sortBy":[{"fieldName":"pages","ascending":false},{"fieldName":"rank"}]"#,
      [11, 7, 3, 10, 6, 2, 8, 4, 0]
    ),
  ])
  func `Each record is returned once, in the order of the query`(query: String, expected: [Int])
    async throws
  {
    let ada = try await library()
    let expected = expected.map { "n\($0 / 10)\($0 % 10)" }
    #expect(try await names(ada, query) == expected)
    #expect(try await ada.cloud.server.runMaintenance() > 0)
    #expect(try await names(ada, query) == expected)
  }
}
