import CloudRecords
import RecordServer
import Testing

@Suite struct WebTokenTests {
  /// A signed-in user.
  private struct Person {
    let accountServer: AccountServer
    let apiToken: String
    let account: Account
    let session: StartedSession
    var first: String { session.webToken }
    var caller: Caller { .user(session.userRecordName) }

    init(isKept: Bool = false, settings: AccountSettings = AccountServer.settings) async throws {
      accountServer = try await AccountServer(settings)
      account = try await accountServer.add("ann")
      apiToken = try await accountServer.apiToken()
      session = try await accountServer.signIn("ann", isKept: isKept)
    }

    /// Sends a request, expects it to be authenticated, and returns the token of the answer.
    func use(_ token: String, _ place: SourceLocation = #_sourceLocation) async throws -> String {
      let outcome = await accountServer.ask(apiToken, token)
      #expect(outcome.caller == caller, sourceLocation: place)
      return try #require(outcome.webToken, sourceLocation: place)
    }

    func isGood(_ token: String) async -> Bool {
      await accountServer.ask(apiToken, token).caller == caller
    }
  }

  // MARK: Rotation

  @Test func `A token gets a successor when it is five minutes old`() async throws {
    let person = try await Person()
    #expect(try await person.use(person.first) == person.first)
    person.accountServer.cloud.pass(seconds: 299)
    #expect(try await person.use(person.first) == person.first)
    person.accountServer.cloud.pass(seconds: 1)
    let second = try await person.use(person.first)
    #expect(second != person.first)
    #expect(second.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    #expect(try await person.use(second) == second)
  }

  @Test func `Parallel requests get the same successor`() async throws {
    let person = try await Person()
    person.accountServer.pass(minutes: 6)
    let given = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try? await person.use(person.first) } }
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(given.count == 1)
    #expect(given != [person.first] && given != [nil])
  }

  @Test func `A superseded token works for ten minutes after its successor was used`() async throws
  {
    let person = try await Person()
    person.accountServer.pass(minutes: 6)
    let second = try await person.use(person.first)
    person.accountServer.pass(minutes: 3)
    _ = try await person.use(second)
    person.accountServer.cloud.pass(seconds: 599)
    #expect(
      try await person.use(person.first) == second,
      "A client with the first token gets the second one."
    )
    person.accountServer.cloud.pass(seconds: 1)
    #expect(await !person.isGood(person.first))
    #expect(await person.isGood(second))
  }

  @Test func `A client keeps its session when a response is lost`() async throws {
    let person = try await Person(isKept: true)
    person.accountServer.pass(minutes: 6)
    let second = try await person.use(person.first)
    // Days pass before the client returns with its only token.
    person.accountServer.pass(minutes: 13 * 24 * 60)
    #expect(try await person.use(person.first) == second)
    // The second token has its full lifetime, which does not end with the first one's.
    person.accountServer.pass(minutes: 3 * 24 * 60)
    #expect(await !person.isGood(person.first))
    #expect(await person.isGood(second))
  }

  @Test func `A running client stays signed in by following its tokens`() async throws {
    let person = try await Person()
    var token = person.first
    var all: Set<String> = [token]
    for _ in 0..<200 {
      person.accountServer.pass(minutes: 4)
      token = try await person.use(token)
      all.insert(token)
    }
    #expect(all.count == 101, "every second request was given a successor")
    #expect(await !person.isGood(person.first))
    #expect(try await person.accountServer.accounts.sessions(of: person.account).count == 1)
  }

  @Test func `The stored size of a long session does not grow`() async throws {
    let person = try await Person()
    var token = person.first
    for _ in 0..<10 {
      person.accountServer.pass(minutes: 5)
      token = try await person.use(token)
    }
    let early = try await person.accountServer.stored()
    for _ in 0..<100 {
      person.accountServer.pass(minutes: 5)
      token = try await person.use(token)
    }
    let late = try await person.accountServer.stored()
    #expect(late.count == early.count)
    #expect(late.joined().count <= early.joined().count + 8)
  }

  @Test func `A session survives a restart of the server`() async throws {
    let person = try await Person()
    person.accountServer.pass(minutes: 6)
    let second = try await person.use(person.first)
    let again = try await AccountServer(
      engine: person.accountServer.engine, on: person.accountServer.cloud)
    #expect(again.administratorKey == nil)
    #expect(await again.ask(person.apiToken, person.first).webToken == second)
    #expect(await again.ask(person.apiToken, second).caller == person.caller)
  }

  // MARK: Expiry

  @Test func `A session without requests ends when its token is 35 minutes old`() async throws {
    for (minutes, isGood) in [(30.0, true), (34.9, true), (35, false), (60, false)] {
      let person = try await Person()
      person.accountServer.pass(minutes: minutes)
      #expect(await person.isGood(person.first) == isGood, "\(minutes)")
    }
  }

  @Test func `A user who chooses to stay signed in does for two weeks`() async throws {
    for (minutes, isGood) in [(14.0 * 24 * 60, true), (14 * 24 * 60 + 5, false)] {
      let person = try await Person(isKept: true)
      person.accountServer.pass(minutes: minutes)
      #expect(await person.isGood(person.first) == isGood, "\(minutes)")
    }
  }

  @Test func `The cache does not extend a session`() async throws {
    let person = try await Person()
    person.accountServer.cloud.pass(seconds: 35 * 60 - 1)
    #expect(await person.isGood(person.first))
    person.accountServer.cloud.pass(seconds: 1)
    #expect(await !person.isGood(person.first))
  }

  @Test func `A rejection says where to sign in and nothing else`() async throws {
    let person = try await Person()
    person.accountServer.pass(minutes: 60)
    let expected = CloudError(
      .authenticationFailed, "The request's credentials were not accepted.",
      redirectURL: "https://cloud.example/sign-in?ckAPIToken=\(person.apiToken)")
    for token in [person.first, String(repeating: "0", count: 64), "nonsense"] {
      #expect(await person.accountServer.ask(person.apiToken, token).error == expected)
    }
  }

  // MARK: Revocation

  @Test func `Signing out ends all tokens of the session and no other session`() async throws {
    let person = try await Person()
    let other = try await person.accountServer.signIn("ann")
    person.accountServer.pass(minutes: 6)
    let second = try await person.use(person.first)
    _ = try await person.use(second)
    try await person.accountServer.accounts.signOut(webToken: person.first)
    #expect(await !person.isGood(person.first))
    #expect(await !person.isGood(second))
    #expect(await person.isGood(other.webToken))
    try await person.accountServer.accounts.signOut(webToken: second)
    try await person.accountServer.accounts.signOut(webToken: "nonsense")
    #expect(await person.isGood(other.webToken))
  }

  @Test func `A session can only be ended by its own account`() async throws {
    let person = try await Person()
    let stranger = try await person.accountServer.add("bob")
    let accounts = person.accountServer.accounts
    #expect(
      try await refusal { try await accounts.endSession(person.session.identifier, of: stranger) }?
        .code == .notFound)
    #expect(await person.isGood(person.first))
    try await accounts.endSession(person.session.identifier, of: person.account)
    #expect(await !person.isGood(person.first))
    #expect(try await accounts.sessions(of: person.account).isEmpty)
  }

  @Test func `Another server's revocation takes effect within seconds`() async throws {
    let person = try await Person()
    #expect(await person.isGood(person.first))
    let elsewhere = try await AccountServer(
      engine: person.accountServer.engine, on: person.accountServer.cloud)
    try await elsewhere.accounts.signOut(webToken: person.first)
    person.accountServer.cloud.pass(seconds: 10)
    #expect(await !person.isGood(person.first))
  }

  @Test func `A new session ends expired ones and the oldest of too many`() async throws {
    var settings = AccountServer.settings
    settings.sessionsPerAccount = 3
    let person = try await Person(settings: settings)
    var tokens = [person.first]
    for _ in 0..<3 {
      person.accountServer.cloud.pass(seconds: 1)
      tokens.append(try await person.accountServer.signIn("ann").webToken)
    }
    #expect(await !person.isGood(tokens[0]))
    for token in tokens[1...] { #expect(await person.isGood(token)) }
    let full = try await person.accountServer.stored().count
    person.accountServer.pass(minutes: 60)
    _ = try await person.accountServer.signIn("ann")
    #expect(try await person.accountServer.accounts.sessions(of: person.account).count == 1)
    #expect(
      try await person.accountServer.stored().count == full - 2 * 2 * 3,
      "two sessions fewer, of three entries each")
  }

  // MARK: Cost

  @Test func `A request with a cached token reads and writes nothing`() async throws {
    let engine = CountingEngine()
    let accountServer = try await AccountServer(engine: engine)
    try await accountServer.add("ann")
    let apiToken = try await accountServer.apiToken()
    let token = try await accountServer.signIn("ann").webToken
    _ = engine.take()
    for _ in 0..<100 { #expect(await accountServer.ask(apiToken, token).caller != nil) }
    let first = engine.take()
    #expect(first.reads == 2, "the API token and the session")
    #expect(first.writes == 0)
    accountServer.pass(minutes: 5)
    let second = try #require(await accountServer.ask(apiToken, token).webToken)
    for _ in 0..<100 { #expect(await accountServer.ask(apiToken, token).webToken == second) }
    #expect(engine.take().writes == 1)
    for _ in 0..<100 { #expect(await accountServer.ask(apiToken, second).webToken == second) }
    #expect(engine.take().writes == 1)
  }

  @Test func `The cache is bounded`() async throws {
    var settings = AccountServer.settings
    settings.rememberedCredentials = 8
    let accountServer = try await AccountServer(settings)
    try await accountServer.add("ann")
    let apiToken = try await accountServer.apiToken()
    for _ in 0..<30 {
      let token = try await accountServer.signIn("ann").webToken
      #expect(await accountServer.ask(apiToken, token).caller != nil)
      #expect(await accountServer.ask(apiToken, String(repeating: "0", count: 64)).caller == nil)
    }
    #expect(accountServer.accounts.rememberedCount <= 8 + 1)
  }

  @Test func `A session that ends during a request stays ended`() async throws {
    let person = try await Person()
    for round in 0..<40 {
      let token = try await person.accountServer.signIn("ann").webToken
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { _ = await person.accountServer.ask(person.apiToken, token) }
        }
        group.addTask { try? await person.accountServer.accounts.signOut(webToken: token) }
      }
      #expect(await !person.isGood(token), "round \(round)")
    }
  }
}
