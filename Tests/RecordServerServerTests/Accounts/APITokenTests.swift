import CloudRecords
import Cryptography
import RecordServer
import TestSupport
import Testing

@Suite struct APITokenTests {
  private let other = ContainerAddress(container: "iCloud.other", environment: .development)
  private let production = ContainerAddress(container: "iCloud.test", environment: .production)

  @Test func `An API token alone identifies an application without a user`() async throws {
    let accountServer = try await AccountServer()
    let text = try await accountServer.apiToken()
    #expect(text.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    let authentication = try await accountServer.accounts.authenticate(
      Credentials(container: AccountServer.container, apiToken: text))
    #expect(authentication.caller == .anonymous)
    #expect(authentication.container == AccountServer.container)
    #expect(
      authentication.realm
        == (try await accountServer.cloud.server.makeRealm(of: AccountServer.container)))
    #expect(authentication.webToken == nil)
    // An empty web token, which a page without one sends, counts as none.
    #expect(await accountServer.ask(text, "").caller == .anonymous)
  }

  @Test func `A request without a user gets the address of the sign-in page`() async throws {
    let accountServer = try await AccountServer()
    let text = try await accountServer.apiToken()
    let authentication = try await accountServer.accounts.authenticate(
      Credentials(container: AccountServer.container, apiToken: text))
    let error = try await refusal { try authentication.requireUser() }
    #expect(error?.code == .authenticationRequired)
    #expect(error?.code.httpStatus == 421)
    #expect(error?.redirectURL == "https://cloud.example/sign-in?ckAPIToken=\(text)")
    // The error of a rejected operation gets the address too.
    let refused = CloudError(.authenticationRequired, "A user must sign in.")
    #expect(authentication.directing(refused).redirectURL == error?.redirectURL)
    #expect(authentication.directing(CloudError(.notFound, "No.")).redirectURL == nil)
    #expect(authentication.directing(refused).reason == refused.reason)
  }

  @Test func `Requests without credentials are rejected`() async throws {
    let accountServer = try await AccountServer()
    let expected = await accountServer.ask(nil).error
    #expect(expected?.code == .authenticationFailed && expected?.extension == .apiTokenRefused)
    #expect(
      expected?.reason.contains("no API token for the container iCloud.test in development") == true
    )
    #expect(await accountServer.ask("").error == expected)
    try await accountServer.add("ann")
    let session = try await accountServer.signIn("ann")
    #expect(
      await accountServer.ask(nil, session.webToken).error == expected,
      "a web token is not valid without an API token")
  }

  @Test func `An unknown token is cached for a second`() async throws {
    var settings = AccountServer.settings
    settings.randomBytes = { [UInt8](repeating: 7, count: $0) }
    let accountServer = try await AccountServer(settings)
    let text = String(repeating: "07", count: 32)
    #expect(await accountServer.ask(text).code == .authenticationFailed)
    #expect(try await accountServer.apiToken() == text)
    #expect(await accountServer.ask(text).code == .authenticationFailed)
    accountServer.cloud.pass(seconds: 1)
    #expect(await accountServer.ask(text).caller == .anonymous)
  }

  @Test func `A token belongs to one container and environment`() async throws {
    let accountServer = try await AccountServer()
    let here = try await accountServer.apiToken()
    let there = try await accountServer.apiToken(for: other)
    let live = try await accountServer.apiToken(for: production)
    #expect(await accountServer.ask(here).caller == .anonymous)
    for container in [other, production] {
      #expect(await accountServer.ask(here, container: container).code == .authenticationFailed)
    }
    try await accountServer.add("ann")
    let session = try await accountServer.signIn("ann")
    #expect(await accountServer.ask(here, session.webToken).caller != nil)
    #expect(
      await accountServer.ask(there, session.webToken, container: other).code
        == .authenticationFailed)
    #expect(
      await accountServer.ask(live, session.webToken, container: production).code
        == .authenticationFailed)
    #expect(
      await accountServer.ask(here, session.webToken).caller != nil,
      "a rejection elsewhere does not end the session")
  }

  @Test func `A malformed token gives no access`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let api = try await accountServer.apiToken()
    let web = try await accountServer.signIn("ann").webToken
    var generator = SeededGenerator.forTest()
    var hostile = [
      " ", "0", String(repeating: "0", count: 64), api.uppercased(), api + "0",
      String(api.dropLast()), " " + api,
      api + "\n", api + "\u{0}", web, String(api.reversed()),
      String(repeating: "f", count: 1 << 20),
      "é" + api.dropFirst(2),
      "%00", "../", "' or 1=1 --", String(repeating: "g", count: 64), "+" + api.dropFirst(),
    ]
    for _ in 0..<200 {
      var characters = Array(api)
      let place = Int.random(in: 0..<64, using: &generator)
      let others = "0123456789abcdefABCDEF-_+/= é".filter { $0 != characters[place] }
      characters[place] = others.randomElement(using: &generator) ?? " "
      hostile.append(String(characters))
    }
    for text in hostile where text != api {
      #expect(
        await accountServer.ask(text).code == .authenticationFailed,
        "\(text.prefix(80)) \(generator)")
      #expect(
        await accountServer.ask(text, web).code == .authenticationFailed,
        "\(text.prefix(80)) \(generator)")
    }
    for text in hostile + [api] where text != web {
      #expect(
        await accountServer.ask(api, text).code == .authenticationFailed,
        "\(text.prefix(80)) \(generator)")
    }
    #expect(await accountServer.ask(api, web).caller != nil)
  }

  // MARK: Origins

  @Test func `A token with allowed origins is rejected on other pages`() async throws {
    let accountServer = try await AccountServer()
    let (text, _) = try await accountServer.accounts.createAPIToken(
      for: AccountServer.container,
      allowedOrigins: ["https://App.example", "http://localhost:8080"])
    let expectations: [(String?, Bool)] = [
      (nil, true), ("https://app.example", true), ("HTTPS://APP.EXAMPLE", true),
      ("http://localhost:8080", true),
      ("http://localhost", false), ("http://app.example", false),
      ("https://app.example.evil", false),
      ("https://app.example:443", false), ("null", false), ("", false),
      ("https://evil.example", false),
    ]
    for (origin, isGood) in expectations {
      let outcome = await accountServer.ask(text, origin: origin)
      #expect(outcome.code == (isGood ? nil : .authenticationFailed), "\(origin ?? "no origin")")
      #expect(
        (try await accountServer.accounts.application(apiToken: text, origin: origin) != nil)
          == isGood)
    }
    #expect(
      await accountServer.ask(try await accountServer.apiToken(), origin: "https://evil.example")
        .code == nil)
  }

  @Test(arguments: [
    "", "example.com", "https://", "https://a/b", "ftp://a", "javascript://a", "https://a b", "*",
    "null",
  ])
  func `Invalid allowed origins are rejected`(origin: String) async throws {
    let accountServer = try await AccountServer()
    let error = try await refusal {
      _ = try await accountServer.accounts.createAPIToken(
        for: AccountServer.container, allowedOrigins: [origin])
    }
    #expect(error?.code == .badRequest)
    #expect(try await accountServer.accounts.listAPITokens().isEmpty)
  }

  @Test func `A browser is redirected to pages and applications, never to a script`() async throws {
    let accountServer = try await AccountServer()
    func callback(_ url: String) async throws -> String? {
      try await accountServer.accounts.createAPIToken(
        for: AccountServer.container, callbackURL: url
      ).token
        .callbackURL
    }
    for url in [
      "https://app.example/signed-in?x=1", "cloudkit-icloud.test://signed-in",
      "http://localhost:1/a",
    ] {
      #expect(try await callback(url) == url)
    }
    for url in [
      "", "/signed-in", "javascript://x", "JavaScript://%0aalert(1)", "data://x", "https://a/#b",
      "https://",
      "https://a\r\nx",
    ] {
      #expect(try await refusal { _ = try await callback(url) }?.code == .badRequest, "\(url)")
    }
  }

  // MARK: Expiry

  @Test func `An expired token is rejected`() async throws {
    let accountServer = try await AccountServer()
    let expires = Timestamp(
      milliseconds: accountServer.cloud.server.dependencies.now().milliseconds + 60_000)
    let (text, _) = try await accountServer.accounts.createAPIToken(
      for: AccountServer.container, expires: expires)
    accountServer.cloud.pass(seconds: 59)
    #expect(await accountServer.ask(text).caller == .anonymous)
    accountServer.cloud.pass(seconds: 1)
    #expect(await accountServer.ask(text).code == .authenticationFailed)
  }

  @Test(arguments: [0, -1_000, -1_700_000_000_000])
  func `A token or key that has already expired cannot be created`(fromNow: Int64) async throws {
    let accountServer = try await AccountServer()
    let now = accountServer.cloud.server.dependencies.now().milliseconds
    let expires = Timestamp(milliseconds: now + fromNow)
    let errors = [
      try await refusal {
        _ = try await accountServer.accounts.createAPIToken(
          for: AccountServer.container, expires: expires)
      },
      try await refusal {
        _ = try await accountServer.accounts.addServerKey(
          publicKey: SignaturePrivateKey().publicPEM, for: AccountServer.container, expires: expires
        )
      },
    ]
    for error in errors {
      #expect(error?.code == .badRequest)
      #expect(
        error?.reason.contains("milliseconds since 1970") == true, "\(String(describing: error))")
    }
    #expect(try await accountServer.accounts.listAPITokens().isEmpty)
  }

  @Test func `A revoked token is rejected at once, with all sessions that use it`() async throws {
    let accountServer = try await AccountServer()
    let (text, token) = try await accountServer.accounts.createAPIToken(
      for: AccountServer.container, label: "Notes")
    let other = try await accountServer.apiToken()
    try await accountServer.add("ann")
    let web = try await accountServer.signIn("ann").webToken
    #expect(await accountServer.ask(text, web).caller != nil)
    try await accountServer.accounts.revokeAPIToken(token.identifier)
    #expect(await accountServer.ask(text).code == .authenticationFailed)
    #expect(await accountServer.ask(text, web).code == .authenticationFailed)
    #expect(await accountServer.ask(other, web).caller != nil)
    let listed = try await accountServer.accounts.listAPITokens()
    #expect(listed.count == 2)
    #expect(listed.first { $0.label == "Notes" }?.revoked != nil)
    #expect(listed.filter { $0.revoked != nil }.count == 1)
    #expect(
      try await refusal { try await accountServer.accounts.revokeAPIToken("nothing") }?.code
        == .notFound
    )
  }

  @Test func `A container's name is checked when a token creates it`() async throws {
    let accountServer = try await AccountServer()
    let wrong = ContainerAddress(container: "9 lives", environment: .development)
    #expect(
      try await refusal { _ = try await accountServer.apiToken(for: wrong) }?.code == .badRequest)
  }
}
