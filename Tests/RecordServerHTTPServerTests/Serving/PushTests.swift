import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Waiting devices", .blockingThreads, .endsAtAll)
struct PushTests {
  private static let zone = #""zoneID":{"zoneName":"Notes"}"#

  /// A user with a zone, a subscription to its notes, and a device.
  ///
  /// Returns the target at which the device waits.
  private func listener(_ testService: TestService, client: String = "phone") async throws -> (
    WebClient, target: String
  ) {
    let ada = try await testService.user("ada")
    try ada.ask(
      "private", "zones/modify",
      #"{"operations":[{"operationType":"create","zone":{\#(Self.zone)}}]}"#)
    for name in ["a", "b", "c"] { try save(ada, name) }
    // It fires on updates only: the creations above may be processed after it exists.
    let query = #""query":{"recordType":"Note"},"firesOn":["update"]"#
    let subscription = #"{"subscriptionID":"s","subscriptionType":"query",\#(query),\#(Self.zone)}"#
    let created = try ada.ask(
      "private", "subscriptions/modify",
      #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#)
    #expect(created["subscriptions"][0]["subscriptionID"].text == "s", "\(created)")
    let token = try ada.post(
      "/device/1/\(ada.container)/tokens/create\(ada.query)",
      #"{"apnsEnvironment":"development","clientId":"\#(client)"}"#)
    let address = try #require(token["webcourierURL"].text, "\(token)")
    #expect(address.hasPrefix("http://cloud.example/push/wait?token="))
    #expect(Data(base64Encoded: token["apnsToken"].text ?? "?") != nil)
    #expect(token["apnsEnvironment"].text == "development")
    return (ada, String(address.dropFirst("http://cloud.example".count)))
  }

  private func save(_ client: WebClient, _ name: String, more: String = "", fields: String = "")
    throws
  {
    let record = #"{"recordName":"\#(name)","recordType":"Note","fields":{}}"#
    let body =
      #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}],\#(Self.zone)}"#
    let target = "/database/1/\(client.container)/private/records/modify\(client.query)\(more)"
    let reply = try client.post(target, body, fields)
    #expect(reply["records"][0]["recordChangeTag"].isThere, "\(reply)")
  }

  @Test func `A device is notified of a change by the answer to its request`() async throws {
    try await TestService.run { testService in
      let (ada, target) = try await listener(testService)
      let device = try testService.client()
      try device.raw.send(
        "GET \(target) HTTP/1.1\r\nHost: cloud.example\r\nOrigin: https://page.example\r\n\r\n")
      try save(ada, "a")
      let reported = Reply(try device.raw.response())
      #expect(reported.status == 200)
      #expect(reported["ck"]["qry"]["rid"].text == "a", "\(reported)")
      #expect(reported["ck"]["qry"]["zid"].text == "Notes")
      #expect(reported["ck"]["qry"]["sid"].text == "s")
      #expect(reported["ck"]["ckuserid"].text == ada.userRecordName)
      #expect(reported["ck"]["cid"].text == TestService.container.container)
      #expect(reported.fields["access-control-allow-origin"] == "https://page.example")
      #expect(!testService.log.all.joined().contains("token="))
    }
  }

  @Test func `A device is not notified of its own changes, by its name or its token`() async throws
  {
    try await TestService.run { testService in
      let (ada, target) = try await listener(testService)
      let token = try #require(
        QueryParameters(target.split(separator: "?").last.map(String.init)).value(of: "token"))
      try save(ada, "a", more: "&clientId=phone")
      try save(ada, "b", fields: "X-Parhelion-Device-Token: \(token)\r\n")
      // Notifications keep their order: the first to arrive is of the third change.
      try save(ada, "c", more: "&clientId=laptop")
      #expect(try testService.client().get(target)["ck"]["qry"]["rid"].text == "c")
    }
  }

  @Test func `A device is not notified of shares that it accepted or left itself`() async throws {
    try await TestService.run { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      try ada.ask(
        "private", "zones/modify",
        #"{"operations":[{"operationType":"create","zone":{\#(Self.zone)}}]}"#)
      func listening(_ kind: String) -> String {
        #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":\#(kind)}}]}"#
      }
      let marker =
        #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"b","recordType":"Bell","fields":{}}}]}"#
      try ada.ask("private", "records/modify", marker)
      let bells = listening(#""query","query":{"recordType":"Bell"},"firesOn":["update"]"#)
      #expect(
        try ada.ask("private", "subscriptions/modify", bells)["subscriptions"][0]["firesOn"].isThere
      )
      func device(_ user: WebClient, _ name: String) throws -> String {
        let token = try user.post(
          "/device/1/\(user.container)/tokens/create\(user.query)",
          #"{"apnsEnvironment":"development","clientId":"\#(name)"}"#)
        return String(
          try #require(token["webcourierURL"].text).dropFirst("http://cloud.example".count))
      }
      let tablet = try device(ada, "tablet")
      let guest =
        #"[{"userIdentity":{"userRecordName":"\#(bob.userRecordName)"},"type":"USER","permission":"READ_WRITE"}]"#
      let share =
        #"{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"participants":\#(guest)}"#
      let shared = try ada.ask(
        "private", "records/modify",
        #"{"operations":[{"operationType":"create","record":\#(share)}],\#(Self.zone)}"#)
      let short = try #require(shared["records"][0]["shortGUID"].text, "\(shared)")
      // Changes keep their order: once she gets the marker, no earlier notification can follow.
      try ada.ask("private", "records/modify", marker)
      #expect(try testService.client().get(tablet)["ck"]["qry"]["rid"].text == "b")
      #expect(
        try bob.ask("shared", "subscriptions/modify", listening(#""database""#)).status == 200)
      let (phone, laptop) = (try device(bob, "phone"), try device(bob, "laptop"))
      func ask(_ database: String, _ operation: String, _ body: String) throws {
        let path =
          "/database/1/\(bob.container)/\(database)/\(operation)\(bob.query)&clientId=phone"
        let reply = try bob.post(path, body)
        #expect(reply.status == 200 && !reply.text.contains("serverErrorCode"), "\(reply)")
      }
      try ask("public", "records/accept", #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
      #expect(try testService.client().get(laptop)["ck"]["met"]["dbs"].number == 2)
      let place = #""zoneID":{"zoneName":"Notes","ownerRecordName":"\#(ada.userRecordName)"}"#
      try ask(
        "shared", "records/modify",
        #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"cloudkit.zoneshare"}}],\#(place)}"#
      )
      #expect(try testService.client().get(laptop)["ck"]["met"]["dbs"].number == 2)
      // The laptop was notified of both, so the phone's notifications have arrived, too.
      let token = try #require(
        QueryParameters(phone.split(separator: "?").last.map(String.init)).value(of: "token"))
      #expect(testService.server.service.waitingNotifications(of: token) == 0)
    }
  }

  @Test func `A request gets an empty answer after a while, and a stream a comment`() async throws {
    try await TestService.run {
      $0.round = .milliseconds(30)
    } _: { testService in
      let (_, target) = try await listener(testService)
      let quiet = try testService.client().get(target)
      #expect((quiet.status, quiet.text) == (200, ""))
      let stream = try testService.client()
      try stream.raw.send(
        "GET \(target.replacing("/wait", with: "/stream")) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try stream.raw.head().fields["content-type"] == "text/event-stream")
      #expect(try stream.raw.chunk() == Array(":\n\n".utf8))
      #expect(try stream.raw.chunk()?.starts(with: "schema: ".utf8) == true)
      for _ in 0..<3 { #expect(try stream.raw.chunk() == Array(":\n\n".utf8)) }
    }
  }

  @Test func `A stream reports each schema change once`() async throws {
    try await TestService.run {
      $0.round = .milliseconds(30)
    } _: { testService in
      let (ada, target) = try await listener(testService)
      let stream = try testService.client()
      try stream.raw.send(
        "GET \(target.replacing("/wait", with: "/stream")) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try stream.raw.head()
      func nextLine() throws -> String {
        while true {
          let chunk = String(decoding: try #require(try stream.raw.chunk()), as: UTF8.self)
          if chunk.hasPrefix("schema: ") { return chunk }
          #expect(chunk == ":\n\n")
        }
      }
      let first = try nextLine()
      #expect(first.wholeMatch(of: #/schema: [0-9a-f]{16}\n\n/#) != nil)
      let record = #"{"recordName":"n","recordType":"New","fields":{}}"#
      try ada.ask(
        "private", "records/modify",
        #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
      let second = try nextLine()
      #expect(second != first)
      try ada.ask(
        "private", "records/modify",
        #"{"operations":[{"operationType":"create","record":{"recordType":"Newer","fields":{}}}]}"#)
      #expect(try nextLine() != second)
    }
  }

  @Test func `A stream reports one change after another until the server stops`() async throws {
    var left: RawClient?
    try await TestService.run { testService in
      let (ada, target) = try await listener(testService)
      let stream = try testService.client().raw
      try stream.send(
        "GET \(target.replacing("/wait", with: "/stream")) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try stream.head().status == 200)
      #expect(try stream.chunk() == Array(":\n\n".utf8))
      #expect(try stream.chunk()?.starts(with: "schema: ".utf8) == true)
      for name in ["a", "b", "c"] {
        try save(ada, name)
        let event = String(decoding: try #require(try stream.chunk()), as: UTF8.self)
        #expect(event.hasPrefix(#"data: {"aps":"#) && event.hasSuffix("}\n\n"), "\(event)")
        #expect(event.contains(#""rid":"\#(name)""#), "\(event)")
      }
      left = stream
    }
    #expect(try left?.chunk() == nil)
    #expect(left?.isAtEnd() == true)
  }

  @Test func `A device gets no notification after its session ends`() async throws {
    try await TestService.run { testService in
      // Its name makes it the first of the notified devices.
      let (ada, target) = try await listener(testService, client: "a-phone")
      let token = try #require(
        QueryParameters(target.split(separator: "?").last.map(String.init)).value(of: "token"))
      var laptop = try testService.client()
      laptop.webToken = try await testService.accounts.signIn(
        name: "ada", password: TestService.password, to: TestService.container, from: nil
      ).webToken
      let created = try laptop.post(
        "/device/1/\(laptop.container)/tokens/create\(laptop.query)",
        #"{"apnsEnvironment":"development","clientId":"laptop"}"#)
      let address = try #require(created["webcourierURL"].text, "\(created)")
      try await testService.accounts.signOut(webToken: try #require(ada.webToken))
      try save(laptop, "a")
      let reported = try testService.client().get(
        String(address.dropFirst("http://cloud.example".count)))
      #expect(reported["ck"]["qry"]["rid"].text == "a", "\(reported)")
      #expect(testService.server.service.waitingNotifications(of: token) == 0)
      #expect(try testService.client().get(target).status == 401)
    }
  }

  @Test func `The stream ends when another process disables the account`() async throws {
    let engine = MemoryStorageEngine()
    try await TestService.run(on: engine) {
      $0.round = .milliseconds(30)
    } _: { testService in
      let (_, target) = try await listener(testService)
      let stream = try testService.client().raw
      try stream.send(
        "GET \(target.replacing("/wait", with: "/stream")) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try stream.head().status == 200)
      try await other(on: engine).disable(accountNamed: "ada")
      while let chunk = try stream.chunk() {
        #expect(chunk == Array(":\n\n".utf8) || chunk.starts(with: "schema: ".utf8))
      }
      let refused = try testService.client().get(target)
      #expect((refused.status, refused.code) == (401, "AUTHENTICATION_FAILED"))
    }
  }

  /// The accounts in a process other than the server.
  private func other(on engine: any StorageEngine) async throws -> Accounts {
    let dependencies = ServerDependencies(
      now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
      makeName: { UUID().uuidString })
    let tickets = AssetTickets(
      secretBytes: [UInt8](repeating: 7, count: 32), dependencies: dependencies)
    let server = RecordServer(
      engine: engine, dependencies: dependencies, addresses: tickets, receipts: tickets,
      sealer: ValueSealer(nil))
    return try await Accounts.open(server, settings: AccountSettings(), verifying: false)
  }

  @Test func `A device needs a token and a user`() async throws {
    try await TestService.run { testService in
      for target in [
        "/push/wait", "/push/stream?token=",
        "/push/wait?token=\(String(repeating: "a", count: 600))",
      ] {
        #expect(try testService.client().get(target).code == "BAD_REQUEST")
      }
      for target in ["/push/wait?token=zzz", "/push/stream?token=zzz"] {
        let refused = try testService.client().get(target)
        #expect((refused.status, refused.code) == (401, "AUTHENTICATION_FAILED"))
      }
      let client = try testService.client()
      let reply = try client.post(
        "/database/1/\(client.container)/tokens/create\(client.query)", "{}")
      #expect((reply.status, reply.code) == (421, "AUTHENTICATION_REQUIRED"))
      let ada = try await testService.user("ada")
      let own = try ada.post(
        "/database/1/\(ada.container)/private/tokens/register\(ada.query)",
        #"{"apnsEnvironment":"production","apnsToken":"YWJj"}"#)
      #expect((own.status, own.text) == (200, "{}"))
      #expect(
        try ada.post("/device/1/\(ada.container)/tokens/register\(ada.query)", "{}").code
          == "BAD_REQUEST")
    }
  }
}
