import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

/// Answers that are richer than those of the description's own examples match its schemas, too.
@Suite("Forms of answers", .blockingThreads, .endsAtAll)
struct AnswerFormTests {
  /// Sends requests as a user, and compares the answers with the description.
  private struct CheckingClient {
    let document: JSONNode
    let client: WebClient

    @discardableResult
    func ask(_ database: String, _ operation: String, _ body: String) throws -> Reply {
      let reply = try client.ask(database, operation, body)
      let template = "/database/1/{container}/{environment}/{database}/\(operation)"
      let form = document["paths"][template]["post"]["responses"]["200"]["content"][
        "application/json"]["schema"]
      #expect(reply.status == 200 && form.isThere, "\(operation): \(reply)")
      #expect(
        DescribedForms(document).mismatches(in: reply.text, as: form) == [],
        "\(operation): \(reply)")
      return reply
    }
  }

  private func run(_ body: (TestService, CheckingClient, CheckingClient) async throws -> Void)
    async throws
  {
    try await TestService.run { testService in
      let document = try testService.client().get("/openapi.json").json
      let ada = CheckingClient(
        document: document, client: try await testService.user("ada@example.com"))
      let bob = CheckingClient(
        document: document, client: try await testService.user("bob@example.com"))
      try ada.ask(
        "private", "zones/modify",
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"no"}}}]}"#
      )
      try await body(testService, ada, bob)
    }
  }

  private static let zone = #""zoneID":{"zoneName":"Z"}"#

  @Test func `Records, failures and tombstones match their schemas`() async throws {
    try await run { _, ada, _ in
      let fields =
        #""a":{"value":1},"b":{"value":"x"},"c":{"value":[1.5]},"d":{"value":{"latitude":1,"longitude":2}},"e":{"value":"y","type":"STRING","isEncrypted":true}"#
      try ada.ask(
        "private", "records/modify",
        #"""
        {"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"T","fields":{\#(fields)},"createShortGUID":true}},
        {"operationType":"create","record":{"recordName":"b","recordType":"T","parent":{"recordName":"a"}}},
        {"operationType":"forceDelete","record":{"recordName":"c"}},
        {"operationType":"delete","record":{"recordName":"d"}}],\#(Self.zone),"atomic":false}
        """#)
      try ada.ask(
        "private", "records/modify",
        #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"b"}}],\#(Self.zone)}"#
      )
      try ada.ask(
        "private", "records/lookup",
        #"{"records":[{"recordName":"a"},{"recordName":"no"}],\#(Self.zone)}"#)
      try ada.ask(
        "private", "changes/zone", #"{"zones":[{\#(Self.zone)},{"zoneID":{"zoneName":"no"}}]}"#)
      try ada.ask("private", "records/changes", "{\(Self.zone)}")
      try ada.ask(
        "private", "records/query", #"{"query":{"recordType":"T"},\#(Self.zone),"resultsLimit":1}"#)
      try ada.ask(
        "private", "zones/modify",
        #"{"operations":[{"operationType":"delete","zone":{\#(Self.zone)}}]}"#)
      try ada.ask("private", "changes/database", "{}")
    }
  }

  @Test func `Shares match their schemas`() async throws {
    try await run { _, ada, bob in
      let share =
        #""recordType":"cloudkit.share","forRecord":{"recordName":"a"},"publicPermission":"NONE","participants":[{"userIdentity":{"lookupInfo":{"emailAddress":"bob@example.com"}},"type":"USER","permission":"READ_WRITE"},{"userIdentity":{"lookupInfo":{"emailAddress":"eve@example.com"}},"type":"USER","permission":"READ_ONLY"}]"#
      let saved = try ada.ask(
        "private", "records/modify",
        #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"T"}},{"operationType":"create","record":{"recordName":"S",\#(share)}}],\#(Self.zone)}"#
      )
      let short = try #require(saved["records"][1]["shortGUID"].text, "\(saved)")
      let wanted =
        #"{"shortGUIDs":[{"value":"\#(short)","shouldFetchRootRecord":true},{"value":"no"}]}"#
      for examiner in [ada, bob] { try examiner.ask("public", "records/resolve", wanted) }
      try bob.ask("public", "records/accept", wanted)
      try bob.ask(
        "shared", "changes/zone",
        #"{"zones":[{"zoneID":{"zoneName":"Z","ownerRecordName":"\#(ada.client.userRecordName)"}}]}"#
      )
      try ada.ask(
        "private", "records/lookup",
        #"{"records":[{"recordName":"a"},{"recordName":"S"}],\#(Self.zone)}"#)
    }
  }

  @Test func `Subscriptions, users and keys match their schemas`() async throws {
    try await run { testService, ada, bob in
      let info =
        #""notificationInfo":{"alertBody":"x","alertLocalizationKey":"k","alertLocalizationArgs":["a"],"soundName":"s","shouldBadge":true,"additionalFields":["a"]}"#
      let subscriptions = [
        #"{"subscriptionID":"q","subscriptionType":"query","query":{"recordType":"T"},"firesOn":["create"],\#(info)}"#,
        #"{"subscriptionID":"z","subscriptionType":"zone",\#(Self.zone)}"#,
        #"{"subscriptionType":"database"}"#,
        #"{"subscriptionID":"x"}"#,
      ]
      let operations = subscriptions.map { #"{"operationType":"create","subscription":\#($0)}"# }
      try ada.ask(
        "private", "subscriptions/modify",
        #"{"operations":[\#(operations.joined(separator: ","))]}"#)
      try ada.ask(
        "private", "subscriptions/modify",
        #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"z"}}]}"#)
      try ada.ask(
        "private", "subscriptions/lookup",
        #"{"subscriptions":[{"subscriptionID":"q"},{"subscriptionID":"no"}]}"#)
      try await testService.accounts.setDiscoverable(true, accountNamed: "bob@example.com")
      try await testService.accounts.rename(
        accountNamed: "bob@example.com", to: .init(givenName: "Bob"))
      let known = try ada.ask(
        "public", "users/discover", #"{"lookupInfos":[{"emailAddress":"bob@example.com"}]}"#)
      #expect(known["users"][0]["nameComponents"]["givenName"].text == "Bob", "\(known)")
      try ada.ask(
        "public", "users/lookup/email", #"{"users":[{"emailAddress":"bob@example.com"}]}"#)
      try bob.ask("public", "users/current", "{}")
      let bag = #"{"bagType":"ZONE",\#(Self.zone)"#
      try ada.ask(
        "private", "keyBags/modify",
        #"{"operations":[{"operationType":"save","bag":\#(bag),"generation":0,"data":"AAAA"}},{"operationType":"save","bag":{"bagType":"USER_PUBLIC","generation":7,"data":"AAAA"}}]}"#
      )
      try ada.ask("private", "keyBags/lookup", #"{"bags":[\#(bag)},{"bagType":"USER_PRIVATE"}]}"#)
    }
  }

  @Test func `All schemas are used, and all references resolve`() async throws {
    try await run { testService, ada, _ in
      let forms = ada.document["components"]["schemas"].object
      let text = try testService.client().get("/openapi.json").text
      let references = text.matches(of: /components.schemas.(\w+)/).map { String($0.1) }
      #expect(Set(references) == Set(forms.keys))
    }
  }
}
