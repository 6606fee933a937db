import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Sign-in and sign-up pages", .blockingThreads, .endsAtAll)
struct PageTests {
  private static let right = "name=Ada%40Example.com&password=correct+horse+battery"

  private func addAda(_ testService: TestService) async throws {
    _ = try await testService.accounts.signUp(
      name: "ada@example.com", password: TestService.password, from: nil)
  }

  /// Whether a client can use a web token as a user's.
  private func works(_ webToken: String, _ testService: TestService, apiToken: String) throws
    -> Bool
  {
    var client = try testService.client()
    (client.apiToken, client.webToken) = (apiToken, webToken)
    return try client.ask("public", "users/caller")["users"][0]["userRecordName"].isThere
  }

  @Test(arguments: [
    "https://app.example/signed-in", "https://app.example/?x=1", "notes://signed-in",
  ])
  func `The page redirects to the application's URL with a token`(callback: String) async throws {
    try await TestService.run { testService in
      try await addAda(testService)
      let token = try await testService.accounts.createAPIToken(
        for: TestService.container, label: "Notes", callbackURL: callback)
      let browser = try Browser(testService, apiToken: token.text)
      let reply = try browser.send(Self.right)
      #expect(reply.status == 303, "\(reply)")
      let location = try #require(reply.fields["location"])
      let start = "\(callback)\(callback.contains("?") ? "&" : "?")ckWebAuthToken="
      #expect(location.hasPrefix(start))
      #expect(try works(String(location.dropFirst(start.count)), testService, apiToken: token.text))
    }
  }

  @Test func `The page notifies its opener if the operator named the origin`() async throws {
    try await TestService.run { testService in
      try await addAda(testService)
      let origins = ["https://page.example", "http://localhost:3000"]
      let token = try await testService.accounts.createAPIToken(
        for: TestService.container, allowedOrigins: origins)
      let reply = try Browser(testService, apiToken: token.text).send(Self.right)
      #expect(reply.status == 200)
      #expect(
        reply.text.contains("of ['https://page.example', 'http://localhost:3000'])"), "\(reply)")
      let nonce = Browser.part(of: reply.text, after: #"<script nonce=""#)
      let policy = try #require(reply.fields["content-security-policy"])
      #expect(policy.contains("script-src 'nonce-\(nonce)'") && nonce.count == 32)
      let webToken = Browser.part(of: reply.text, after: "ckWebAuthToken: '")
      #expect(try works(webToken, testService, apiToken: token.text))
    }
  }

  @Test func `The page shows the token if it cannot be sent elsewhere`() async throws {
    try await TestService.run { testService in
      try await addAda(testService)
      let reply = try Browser(testService).send(Self.right + "&keep=1")
      #expect(reply.status == 200 && !reply.text.contains("<script"))
      let shown = try #require(reply.text.firstRange(of: "<code>"))
      #expect(
        try works(
          String(reply.text[shown.upperBound...].prefix(64)), testService,
          apiToken: testService.apiToken)
      )
      #expect(!testService.log.all.joined().contains(testService.apiToken))
    }
  }

  @Test func `The page creates accounts unless the operator forbids it`() async throws {
    try await TestService.run { testService in
      let reply = try Browser(testService, .signUp).send(Self.right + "&given=Ada&family=Lovelace")
      #expect(reply.status == 200 && reply.text.contains("<code>"), "\(reply)")
      let account = try await testService.accounts.account(named: "ada@example.com")
      #expect(account.nameComponents?.givenName == "Ada")
      #expect(!account.hasProvenAddress)
      let again = try Browser(testService, .signUp).send(Self.right)
      #expect(again.status == 409 && again.text.contains("already exists"))
      let short = try Browser(testService, .signUp).send("name=bob&password=short")
      #expect(short.status == 400 && short.text.contains(#"value="bob""#), "\(short)")
    }
    try await TestService.run {
      $0.accounts.signUp = .closed
    } _: { testService in
      #expect(
        try testService.client().get("/sign-up?ckAPIToken=\(testService.apiToken)").status == 404)
      let page = try testService.client().get("/sign-in?ckAPIToken=\(testService.apiToken)")
      #expect(page.status == 200 && !page.text.contains("/sign-up"))
    }
  }

  @Test func `The page creates one account for each invitation code if the operator requires one`()
    async throws
  {
    try await TestService.run {
      $0.accounts.signUp = .invited
    } _: { testService in
      try await addAda(testService)
      let browser = try Browser(testService, .signUp)
      let page = try testService.client().get("/sign-up?ckAPIToken=\(testService.apiToken)")
      #expect(page.text.contains(#"name="invitation""#), "\(page)")
      // The name is taken, but only users with an invitation learn that.
      for fields in [
        Self.right, Self.right + "&invitation=AAAAA-BBBBB-CCCCC-DDDDD",
        Self.right + "&invitation=x",
      ] {
        let refused = try browser.send(fields)
        #expect(refused.status == 403 && refused.text.contains("invitation code"), "\(refused)")
      }
      let code = try await testService.accounts.invite().code
      let taken = try browser.send(Self.right + "&invitation=\(code)")
      #expect(taken.status == 409, "\(taken)")
      let typed = code.lowercased().replacing("-", with: "+")
      let created = try browser.send("name=bob&password=correct+horse+battery&invitation=\(typed)")
      #expect(created.status == 200 && created.text.contains("<code>"), "\(created)")
      let again = try browser.send("name=eve&password=correct+horse+battery&invitation=\(code)")
      #expect(again.status == 403, "\(again)")
      #expect(try await testService.accounts.accounts().map(\.name) == ["ada@example.com", "bob"])
    }
  }

  @Test func `Browsers use the server only over TLS if the operator requires it`() async throws {
    for isSecure in [true, false] {
      try await TestService.run {
        $0.service.requiresTLS = isSecure
      } _: { testService in
        let reply = try testService.client().get("/sign-in?ckAPIToken=\(testService.apiToken)")
        #expect(reply.fields["strict-transport-security"] == (isSecure ? "max-age=31536000" : nil))
      }
    }
  }

  @Test func `A wrong name and a wrong password get one message, and input is shown as text`()
    async throws
  {
    try await TestService.run { testService in
      try await addAda(testService)
      let browser = try Browser(testService)
      let wrong = try browser.send("name=ada@example.com&password=wrong")
      let unknown = try browser.send("name=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&password=wrong")
      for reply in [wrong, unknown] {
        #expect(
          reply.status == 401 && reply.text.contains("The name or the password is wrong."),
          "\(reply)")
        #expect(!reply.text.contains("<script"))
      }
      #expect(unknown.text.contains("&quot;&gt;&lt;script&gt;"))
      #expect(!wrong.text.contains("\"wrong\""))
    }
  }

  @Test func `Only the server's own pages can submit a form`() async throws {
    try await TestService.run { testService in
      try await addAda(testService)
      let good = try Browser(testService)
      let other = try Browser(testService)
      var (stranger, thief, bare) = (good, good, good)
      stranger.cookie = other.cookie
      thief.proof = other.proof
      bare.cookie = ""
      for browser in [stranger, thief, bare] {
        let reply = try browser.send(Self.right)
        #expect(reply.status == 403 && reply.text.contains(#"name="proof""#), "\(reply)")
      }
      #expect(try good.send(Self.right, "Sec-Fetch-Site: cross-site\r\n").status == 403)
      #expect(try good.send(Self.right).status == 200)
      // An existing cookie stays, so that several forms can be open.
      let again = try good.client.get(good.target, "Cookie: \(good.cookie)\r\n")
      #expect(again.fields["set-cookie"]?.hasPrefix(good.cookie + ";") == true)
    }
  }

  @Test func `A form that is too long is answered with a page`() async throws {
    try await TestService.run { testService in
      let long = String(repeating: "a", count: 20_000)
      var browser = try InvitationBrowser(testService, "0123456789abcdef")
      try browser.signIn(long)
      let replies = try [Route.Page.signIn, .signUp, .signOut].map {
        try Browser(testService, $0).send("name=\(long)&password=x")
      }
      for reply in replies + [browser.page] {
        #expect(reply.status == 400 && reply.text.contains("more than 16384 bytes"), "\(reply)")
        #expect(reply.fields["content-type"] == "text/html; charset=utf-8")
      }
    }
  }

  @Test func `Browsers may not use features that the page does not need`() async throws {
    try await TestService.run {
      $0.service.publicAddress = "https://cloud.example"
    } _: { testService in
      let token = try await testService.accounts.createAPIToken(
        for: TestService.container, callbackURL: "https://app.example:444/x;y")
      let reply = try testService.client().get(
        "/sign-in?ckAPIToken=\(token.text)", "Origin: https://page.example\r\n")
      let policy = reply.fields["content-security-policy"] ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(policy.contains("form-action 'self' https://app.example:444; frame-"), "\(policy)")
      #expect(reply.fields["x-frame-options"] == "DENY")
      #expect(reply.fields["cache-control"] == "no-store")
      #expect(reply.fields["access-control-allow-origin"] == nil)
      let cookie = reply.fields["set-cookie"] ?? ""
      #expect(
        cookie.hasPrefix("__Host-parhelion-form=")
          && cookie.contains("; HttpOnly; SameSite=Lax; Secure"))
    }
  }

  @Test func `Password guessing is limited`() async throws {
    try await TestService.run {
      $0.accounts.attemptsByName = AttemptRate(atOnce: 2, secondsForEach: 60)
    } _: { testService in
      try await addAda(testService)
      let browser = try Browser(testService)
      let wrong = "name=ada@example.com&password=wrong"
      #expect(try [browser.send(wrong), browser.send(wrong)].map(\.status) == [401, 401])
      let third = try browser.send(Self.right)
      #expect(third.status == 429)
      #expect(Int(third.fields["retry-after"] ?? "") ?? 0 > 0)
    }
  }

  @Test func `A page without a form says how long to wait`() async throws {
    try await TestService.run {
      $0.accounts.requests = AttemptRate(atOnce: 1, secondsForEach: 600)
    } _: { testService in
      let client = try testService.client()
      let target = "/sign-in?ckAPIToken=\(testService.apiToken)"
      #expect(try client.get(target).status == 200)
      let reply = try client.get(target)
      #expect(reply.status == 429)
      #expect((1...600).contains(Int(reply.fields["retry-after"] ?? "") ?? 0), "\(reply)")
    }
  }

  @Test(arguments: ["/sign-in", "/sign-up?ckAPIToken=", "/sign-in?ckAPIToken=%3Cb%3E"])
  func `Only known applications have the page`(target: String) async throws {
    try await TestService.run { testService in
      let reply = try testService.client().get(target)
      #expect(reply.status == 400 && reply.text.contains("does not name an application"))
      #expect(reply.fields["content-type"] == "text/html; charset=utf-8")
      #expect(!reply.text.contains("<b>"))
    }
  }
}
