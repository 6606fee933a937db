import CloudRecords
import Foundation
import TestSupport
import Testing

/// Behaviour of zones, users, devices and shares on which real clients of the web protocol depend.
@Suite("Unmodified clients and accounts", .blockingThreads, .endsAtAll)
struct AccountInteropTests {
  @Test(arguments: [
    "zones/list", "subscriptions/list", "users/caller", "users/current", "users/lookup/contacts",
  ])
  func `Lists are available by GET and by POST, with or without a body`(operation: String)
    async throws
  {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let target = "/database/1/\(ada.container)/private/\(operation)\(ada.query)"
      let replies = [try ada.get(target), try ada.post(target, ""), try ada.post(target, "{}")]
      #expect(replies.map(\.status) == [200, 200, 200], "\(replies)")
      #expect(Set(replies.map { $0.json.keys }).count == 1)
    }
  }

  @Test func `The caller is a list of one user, or a user under the older name`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let caller = try ada.ask("public", "users/caller")
      #expect(caller["users"].list.map { $0["userRecordName"].text } == [ada.userRecordName])
      for database in ["public", "private", "shared"] {
        #expect(try ada.ask(database, "users/current")["userRecordName"].text == ada.userRecordName)
      }
      #expect(ada.userRecordName.count == 33 && ada.userRecordName.hasPrefix("_"))
    }
  }

  @Test(arguments: [
    "/device/1/%", "/database/1/%", "/database/1/%/public", "/database/1/%/private",
  ])
  func `Devices get their tokens under every spelling`(base: String) async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let path = base.replacingOccurrences(of: "%", with: ada.container)
      let created = try ada.post(
        "\(path)/tokens/create\(ada.query)", #"{"apnsEnvironment":"production"}"#)
      let token = try #require(created["apnsToken"].text, "\(created)")
      #expect(created["webcourierURL"].text?.hasPrefix("http") == true)
      let body = #"{"apnsEnvironment":"production","apnsToken":"\#(token)"}"#
      let kept = try ada.post("\(path)/tokens/register\(ada.query)", body)
      #expect((kept.status, kept.text) == (200, "{}"))
    }
  }

  @Test func `Shares are accepted by short name, and answers have the members that clients need`()
    async throws
  {
    try await TestService.run { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      let zone = #""zoneID":{"zoneName":"Trip"}"#
      try ada.ask(
        "private", "zones/modify", #"{"operations":[{"operationType":"create","zone":{\#(zone)}}]}"#
      )
      let root =
        #"{"operationType":"create","record":{"recordName":"root","recordType":"Trip","fields":{}}}"#
      let share =
        #"{"operationType":"create","record":{"recordName":"Share-1","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},"publicPermission":"READ_WRITE"}}"#
      let saved = try ada.ask(
        "private", "records/modify", #"{"operations":[\#(root),\#(share)],\#(zone)}"#)
      let short = try #require(saved["records"][1]["shortGUID"].text, "\(saved)")
      #expect(saved["records"][1]["participants"][0]["type"].text == "OWNER")
      let resolved = try bob.ask(
        "public", "records/resolve", #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
      #expect(resolved["containerIdentifier"].text == TestService.container.container)
      #expect(resolved["rootRecordName"].text == "root")
      #expect(resolved["zoneID"]["ownerRecordName"].text == ada.userRecordName)
      #expect(resolved["participantType"].isThere && resolved["environment"].isThere)
      let accepted = try bob.ask(
        "public", "records/accept", #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
      #expect(accepted["results"][0]["databaseScope"].text == "SHARED", "\(accepted)")
      let owner = #"{"zoneName":"Trip","ownerName":"\#(ada.userRecordName)"}"#
      let seen = try bob.ask(
        "shared", "records/lookup", #"{"records":[{"recordName":"root"}],"zoneID":\#(owner)}"#)
      #expect(seen["records"][0]["recordType"].text == "Trip", "\(seen)")
      let zones = try bob.get("/database/1/\(bob.container)/shared/zones/list\(bob.query)")
      #expect(zones["zones"][0]["zoneID"]["ownerRecordName"].text == ada.userRecordName, "\(zones)")
    }
  }
}
