import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Sign-out page", .blockingThreads, .endsAtAll)
struct SignOutTests {
  private func page(_ testService: TestService, webToken: String? = nil, apiToken: String? = nil)
    throws
    -> Browser
  {
    try Browser(
      testService, .signOut,
      apiToken: (apiToken ?? testService.apiToken)
        + (webToken.map { "&ckWebAuthToken=\($0)" } ?? ""))
  }

  private func send(
    _ fields: String, _ testService: TestService, webToken: String? = nil,
    _ more: String = "Sec-Fetch-Site: same-origin\r\n"
  ) throws -> Reply {
    try page(testService, webToken: webToken).send(fields, more)
  }

  @Test func `The page ends the session of its URL and no other`() async throws {
    try await TestService.run { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      let token = try #require(ada.webToken)
      let shown = try ada.get(
        "/sign-out?ckAPIToken=\(testService.apiToken)&ckWebAuthToken=\(token)")
      #expect(
        shown.text.contains("value=\"\(token)\"") && shown.fields["cache-control"] == "no-store")
      // Opening the page has no effect.
      #expect(try ada.ask("private", "zones/list").status == 200)
      let reply = try page(testService, webToken: token).send("token=\(token)")
      #expect(reply.status == 200 && reply.text.contains("You are signed out"), "\(reply)")
      #expect(try ada.ask("private", "zones/list").status == 401)
      #expect(try bob.ask("private", "zones/list").status == 200)
      #expect(!testService.log.all.joined().contains(token))
    }
  }

  @Test func `The page ends all sessions of a user with name and password`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      var second = ada
      second.webToken = try await testService.accounts.signIn(
        name: "ada", password: TestService.password, to: TestService.container, from: nil
      ).webToken
      #expect(try send("name=ada&password=wrong", testService).status == 401)
      #expect(try ada.ask("private", "zones/list").status == 200)
      #expect(try send("name=ada&password=correct+horse+battery", testService).status == 200)
      for client in [ada, second] { #expect(try client.ask("private", "zones/list").status == 401) }
    }
  }

  @Test func `Only the page itself submits its form, and a known opener is notified`() async throws
  {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let token = try #require(ada.webToken)
      var forged = try page(testService, webToken: token)
      forged.proof = String(repeating: "0", count: 64)
      #expect(try forged.send("token=\(token)").status == 403)
      #expect(
        try send("token=\(token)", testService, "Sec-Fetch-Site: cross-site\r\n").status == 403)
      #expect(try ada.ask("private", "zones/list").status == 200)
      let known = try await testService.accounts.createAPIToken(
        for: TestService.container, allowedOrigins: ["https://page.example"])
      let reply = try page(testService, apiToken: known.text).send("token=\(token)")
      #expect(
        reply.text.contains(
          "of ['https://page.example']) window.opener?.postMessage({ ckSignedOut: true }"))
      #expect(try ada.get("/sign-out?ckAPIToken=x").status == 400)
    }
  }
}
