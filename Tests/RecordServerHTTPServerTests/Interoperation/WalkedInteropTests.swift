import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

/// Names and features of the web protocol that only some real clients use.
@Suite("Unmodified clients with special features", .blockingThreads, .endsAtAll)
struct WalkedInteropTests {
  private static let zone = #""zoneID":{"zoneName":"Notes"}"#

  private func client(_ testService: TestService, _ name: String = "ada") async throws -> WebClient
  {
    let ada = try await testService.user(name)
    #expect(try edit(ada, "create")["zones"][0]["syncToken"].isThere)
    return ada
  }

  private func edit(_ client: WebClient, _ kind: String) throws -> Reply {
    try client.ask(
      "private", "zones/modify",
      #"{"operations":[{"operationType":"\#(kind)","zone":{\#(Self.zone)}}]}"#)
  }

  private func modify(_ client: WebClient, _ operations: String...) throws -> Reply {
    try client.ask(
      "private", "records/modify",
      #"{"operations":[\#(operations.joined(separator: ","))],\#(Self.zone)}"#)
  }

  private func save(_ name: String, _ more: String = "") -> String {
    #"{"operationType":"forceUpdate","record":{"recordName":"\#(name)","recordType":"Note","fields":{"tags":{"value":["a"]}}\#(more)}}"#
  }

  @Test func `A list contains any of several values, under both comparator names`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      #expect(try modify(ada, save("a")).status == 200)
      for comparator in ["LIST_CONTAINS_ANY", "CONTAINS_ANY"] {
        let filter =
          #"{"fieldName":"tags","comparator":"\#(comparator)","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}}"#
        let reply = try ada.ask(
          "private", "records/query",
          #"{"query":{"recordType":"Note","filterBy":[\#(filter)]},\#(Self.zone)}"#)
        #expect(reply["records"].count == 1, "\(reply)")
      }
    }
  }

  @Test func `A list of allowed values needs its type`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let record = #"{"recordName":"a","recordType":"Note","fields":{"stars":{"value":3}}}"#
      #expect(try modify(ada, #"{"operationType":"create","record":\#(record)}"#).status == 200)
      for (comparator, count) in [("IN", 1), ("NOT_IN", 0)] {
        func ask(_ value: String) throws -> Reply {
          let filter =
            #"{"fieldName":"stars","comparator":"\#(comparator)","fieldValue":\#(value)}"#
          return try ada.ask(
            "private", "records/query",
            #"{"query":{"recordType":"Note","filterBy":[\#(filter)]},\#(Self.zone)}"#)
        }
        #expect(try ask(#"{"value":[2,3],"type":"INT64_LIST"}"#)["records"].count == count)
        for value in ["[2,3]", "[]"] {
          let refused = try ask(#"{"value":\#(value)}"#)
          #expect(
            refused.code == "BAD_REQUEST"
              && refused["reason"].text?.hasPrefix("Unexpected input") == true)
        }
      }
    }
  }

  @Test func `Answers have the sync token of their zone on request`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      func ask(_ operation: String, _ body: String, _ option: String) throws -> Reply {
        try ada.post("/database/1/\(ada.container)/private/\(operation)\(ada.query)\(option)", body)
      }
      let bodies = [
        ("records/modify", #"{"operations":[\#(save("a"))],\#(Self.zone)}"#),
        ("records/lookup", #"{"records":[{"recordName":"a"}],\#(Self.zone)}"#),
        ("records/query", #"{"query":{"recordType":"Note"},\#(Self.zone)}"#),
      ]
      for (operation, body) in bodies {
        let reported = try ask(operation, body, "&getCurrentSyncToken=true")
        let token = try #require(reported["syncToken"].text, "\(reported)")
        let feed = try ada.ask(
          "private", "changes/zone", #"{"zones":[{\#(Self.zone),"syncToken":"\#(token)"}]}"#)
        #expect(
          feed["zones"][0]["records"].count == 0 && feed["zones"][0]["syncToken"].isThere, "\(feed)"
        )
        for option in ["", "&getCurrentSyncToken=false"] {
          #expect(try !ask(operation, body, option)["syncToken"].isThere)
        }
      }
      // A zone without a feed has no token.
      let standard = try ask(
        "records/query", #"{"query":{"recordType":"Note"}}"#, "&getCurrentSyncToken=true")
      #expect(standard.status == 200 && !standard["syncToken"].isThere)
    }
  }

  @Test func `Only a client that knew a deleted zone is notified of it`() async throws {
    try await TestService.run { testService in
      let (ada, bob) = (try await client(testService), try await testService.user("bob"))
      let body = #"{"zones":[{\#(Self.zone)}]}"#
      let token = try #require(
        try ada.ask("private", "changes/zone", body)["zones"][0]["syncToken"].text)
      #expect(try edit(ada, "delete")["zones"][0]["deleted"].flag == true)
      let known = #"{"zones":[{\#(Self.zone),"syncToken":"\#(token)"}]}"#
      let reported = try ada.ask("private", "changes/zone", known)["zones"][0]
      #expect(
        reported["serverErrorCode"].text == "ZONE_NOT_FOUND"
          && reported["extensionErrorCode"].text == "USER_DELETED_ZONE")
      let others = [
        try ada.ask("private", "changes/zone", body), try bob.ask("private", "changes/zone", body),
        try bob.ask("private", "changes/zone", known),
      ]
      for other in others {
        #expect(other["zones"][0]["serverErrorCode"].text == "ZONE_NOT_FOUND", "\(other)")
        #expect(!other["zones"][0]["extensionErrorCode"].isThere)
      }
      // A recreated zone of the same name is another one.
      #expect(try edit(ada, "create")["zones"][0]["syncToken"].isThere)
      let again = try ada.ask("private", "changes/zone", known)["zones"][0]
      #expect(again["extensionErrorCode"].text == "ZONE_RECREATED")
    }
  }

  @Test func `A record has its short name before it is shared, on request`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let created = try modify(ada, save("root", #","createShortGUID":true"#))["records"][0]
      let short = try #require(created["shortGUID"].text, "\(created)")
      #expect(
        try modify(ada, save("root", #","createShortGUID":true"#))["records"][0]["shortGUID"].text
          == short)
      #expect(try !modify(ada, save("other"))["records"][0]["shortGUID"].isThere)
      let share =
        #"{"operationType":"create","record":{"recordName":"S","recordType":"cloudkit.share","forRecord":{"recordName":"root"},"publicPermission":"READ_ONLY"}}"#
      #expect(try modify(ada, share)["records"][0]["shortGUID"].text == short)
      let bob = try await testService.user("bob")
      let joined = try bob.ask(
        "public", "records/accept", #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
      #expect(joined["participantType"].text == "PUBLIC_USER", "\(joined)")
    }
  }

  @Test func `Every user has a record that the user can change and all can read`() async throws {
    try await TestService.run { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      let lookup = #"{"records":[{"recordName":"\#(ada.userRecordName)"}]}"#
      let found = try bob.ask("public", "records/lookup", lookup)["records"][0]
      #expect(
        found["recordType"].text == "Users"
          && found["created"]["userRecordName"].text == ada.userRecordName)
      func save(_ client: WebClient, _ nick: String) throws -> Reply {
        let record =
          #"{"recordName":"\#(ada.userRecordName)","recordType":"Users","fields":{"nick":{"value":"\#(nick)"}}}"#
        return try client.ask(
          "public", "records/modify",
          #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#)
      }
      #expect(try save(ada, "A")["records"][0]["fields"]["nick"]["value"].text == "A")
      #expect(try save(bob, "B")["records"][0]["serverErrorCode"].text == "ACCESS_DENIED")
      // Signing in again leaves the record unchanged, and records cannot be used to list all users.
      _ = try await testService.accounts.signIn(
        name: "ada", password: TestService.password, to: TestService.container, from: nil)
      #expect(
        try bob.ask("public", "records/lookup", lookup)["records"][0]["fields"]["nick"]["value"]
          .text == "A")
      #expect(
        try bob.ask("public", "records/query", #"{"query":{"recordType":"Users"}}"#).status == 400)
    }
  }

  @Test func `Discoverable users are found by name and proven address`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let bob = try await testService.user("bob@example.com")
      let wanted =
        #"{"lookupInfos":[{"emailAddress":"bob@example.com"},{"userRecordName":"\#(bob.userRecordName)"}]}"#
      #expect(try ada.ask("public", "users/discover", wanted)["users"].count == 0)
      try await testService.accounts.setDiscoverable(true, accountNamed: "bob@example.com")
      let found = try ada.ask("public", "users/discover", wanted)["users"]
      #expect(
        found.list.map { $0["userRecordName"].text } == [bob.userRecordName, bob.userRecordName])
      let byAddress = try ada.ask(
        "public", "users/lookup/email", #"{"users":[{"emailAddress":"bob@example.com"}]}"#)["users"]
      #expect(byAddress[0]["userRecordName"].text == bob.userRecordName)
      let byName = try ada.ask(
        "public", "users/lookup/id", #"{"users":[{"userRecordName":"\#(bob.userRecordName)"}]}"#)[
          "users"]
      #expect(byName[0]["userRecordName"].text == bob.userRecordName)
      try await testService.accounts.setDiscoverable(false, accountNamed: "bob@example.com")
      #expect(try ada.ask("public", "users/discover", wanted)["users"].count == 0)
    }
  }
}
