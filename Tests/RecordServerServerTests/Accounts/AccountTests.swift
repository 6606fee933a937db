import CloudRecords
import CloudWire
import Cryptography
import RecordServer
import Testing

@Suite struct AccountTests {
  @Test func `A new user can sign in with any spelling of the name`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("Ann@Example.com")
    let first = try await accountServer.signIn("ann@example.com")
    let second = try await accountServer.signIn(" ANN@example.COM ")
    #expect(first.userRecordName == second.userRecordName)
    #expect(first.webToken != second.webToken)
    #expect(first.userRecordName.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
    #expect(first.webToken.wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func `A name belongs to one account`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let error = try await refusal {
      try await accountServer.add("ANN", password: "another password")
    }
    #expect(error?.code == .exists)
    _ = try await accountServer.signIn("ann")
  }

  @Test func `If two users take a name at once, one gets it`() async throws {
    let accountServer = try await AccountServer()
    let taken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          (try? await accountServer.add("ann", password: "password \(number)")) != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
    #expect(try await accountServer.accounts.accounts().count == 1)
  }

  @Test(arguments: [("1234567", false), ("12345678", true), ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", false), ("", false)])
  func `A password has at least eight characters`(password: String, isGood: Bool) async throws {
    let accountServer = try await AccountServer()
    let error = try await refusal { try await accountServer.add("ann", password: password) }
    #expect(error?.code == (isGood ? nil : .badRequest))
  }

  @Test func `A password has at most 1,024 bytes`() async throws {
    let accountServer = try await AccountServer()
    let longest = String(repeating: "x", count: 1024)
    try await accountServer.add("ann", password: longest)
    _ = try await accountServer.signIn("ann", longest)
    #expect(
      try await refusal { _ = try await accountServer.signIn("ann", longest + "x") }?.code
        == .authenticationFailed)
    #expect(
      try await refusal { try await accountServer.add("bob", password: longest + "x") }?.code
        == .badRequest)
  }

  @Test func `Every rejected sign-in gets the same error and costs one hash`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    try await accountServer.add("carol")
    try await accountServer.accounts.disable(accountNamed: "carol")
    let tries = [
      ("ann", "wrong password"), ("nobody", "wrong password"), ("carol", AccountServer.password),
      ("??", "x"),
      ("ann", String(repeating: "x", count: 5000)), ("ann", ""),
    ]
    var errors: Set<CloudError?> = []
    for (name, password) in tries {
      let before = accountServer.accounts.passwordHashCount
      errors.insert(try await refusal { _ = try await accountServer.signIn(name, password) })
      #expect(accountServer.accounts.passwordHashCount == before + 1, "\(name)")
    }
    #expect(errors == [CloudError(.authenticationFailed, "The name or the password is wrong.")])
  }

  // MARK: Names in containers

  @Test func `A user has a different name in each container`() async throws {
    let accountServer = try await AccountServer()
    let other = ContainerAddress(container: "iCloud.other", environment: .development)
    _ = try await accountServer.cloud.server.makeRealm(of: other)
    let account = try await accountServer.add("ann@example.com")
    let here = try await accountServer.signIn("ann@example.com").userRecordName
    let there = try await accountServer.signIn("ann@example.com", to: other).userRecordName
    #expect(here != there)
    let production = ContainerAddress(container: "iCloud.test", environment: .production)
    #expect(
      try await accountServer.signIn("ann@example.com", to: production).userRecordName == here)
    #expect(accountServer.accounts.userRecordName(of: account, in: "iCloud.test") == here)
    #expect(!here.contains(account.identifier) && !there.contains(account.identifier))
    // Another server gives the same account other names, because they depend on its secret.
    let elsewhere = try await AccountServer()
    #expect(elsewhere.accounts.userRecordName(of: account, in: "iCloud.test") != here)
  }

  @Test func `A container that was not set up does not allow signing in`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let missing = ContainerAddress(container: "iCloud.missing", environment: .development)
    #expect(
      try await refusal { _ = try await accountServer.signIn("ann", to: missing) }?.code
        == .notFound)
  }

  @Test func `A container's user has the account's current name`() async throws {
    let accountServer = try await AccountServer()
    let name = UserIdentity.NameComponents(givenName: "Ann", familyName: "Lee")
    _ = try await accountServer.accounts.signUp(
      name: "ann@example.com", password: AccountServer.password, nameComponents: name, from: nil)
    let session = try await accountServer.signIn("ann@example.com")
    let client = try await accountServer.cloud.user(session.userRecordName)
    var user = try await client.ask(.public, .usersCaller)["users"][0]
    #expect(user["userRecordName"].text == session.userRecordName)
    #expect(user["nameComponents"]["familyName"].text == "Lee")
    try await accountServer.accounts.rename(
      accountNamed: "ann@example.com",
      to: UserIdentity.NameComponents(givenName: "Ann", familyName: "Ray"))
    user = try await client.ask(.public, .usersCaller)["users"][0]
    #expect(user["nameComponents"]["familyName"].text == "Ray")
  }

  @Test func `A container's own data about a user survives signing in`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann@example.com")
    let session = try await accountServer.signIn("ann@example.com")
    let realm = try await accountServer.cloud.server.makeRealm(of: AccountServer.container)
    var user = StoredUser(identity: UserIdentity(userRecordName: session.userRecordName))
    user.roles = ["editors"]
    try await accountServer.cloud.server.saveUser(user, named: session.userRecordName, in: realm)
    try await accountServer.accounts.setDiscoverable(true, accountNamed: "ann@example.com")
    _ = try await accountServer.signIn("ann@example.com")
    #expect(
      try await found("ann@example.com", by: session, accountServer) == session.userRecordName)
    let stored = try await accountServer.stored()
    #expect(stored.contains { String(decoding: $0, as: UTF8.self).contains("editors") })
  }

  @Test func `Users can be found only by proven addresses`() async throws {
    let accountServer = try await AccountServer()
    _ = try await accountServer.accounts.signUp(
      name: "ann@example.com", password: AccountServer.password, from: "10.0.0.1")
    try await accountServer.add("bob@example.com")
    let (ann, bob) = (
      try await accountServer.signIn("ann@example.com"),
      try await accountServer.signIn("bob@example.com")
    )
    try await makeDiscoverable(["ann@example.com", "bob@example.com"], accountServer)
    #expect(try await found("ann@example.com", by: bob, accountServer) == nil)
    #expect(try await found("bob@example.com", by: ann, accountServer) == bob.userRecordName)
    try await accountServer.accounts.setAddressProven(true, ofAccountNamed: "ann@example.com")
    #expect(try await found("ann@example.com", by: bob, accountServer) == ann.userRecordName)
    try await accountServer.accounts.setAddressProven(false, ofAccountNamed: "ann@example.com")
    #expect(try await found("ann@example.com", by: bob, accountServer) == nil)
  }

  @Test func `A plain name is not an address that can be proven`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    #expect(
      try await refusal {
        try await accountServer.accounts.setAddressProven(true, ofAccountNamed: "ann")
      }?.code
        == .badRequest)
  }

  @Test func `An operator can trust addresses that users state`() async throws {
    var settings = AccountServer.settings
    settings.trustsNewAddresses = true
    let accountServer = try await AccountServer(settings)
    let account = try await accountServer.accounts.signUp(
      name: "ann@example.com", password: AccountServer.password, from: "10.0.0.1")
    #expect(account.hasProvenAddress)
  }

  private func makeDiscoverable(_ names: [String], _ accountServer: AccountServer) async throws {
    for name in names { try await accountServer.accounts.setDiscoverable(true, accountNamed: name) }
  }

  private func found(_ address: String, by session: StartedSession, _ accountServer: AccountServer)
    async throws -> String?
  {
    try await accountServer.cloud.user(session.userRecordName).ask(
      .public, .usersDiscover, #"{"lookupInfos":[{"emailAddress":"\#(address)"}]}"#)["users"][0][
        "userRecordName"
      ].text
  }

  // MARK: Administration

  @Test func `A new password ends the old one's sessions`() async throws {
    let accountServer = try await AccountServer()
    let account = try await accountServer.add("ann")
    let session = try await accountServer.signIn("ann")
    let token = try await accountServer.apiToken()
    #expect(
      await accountServer.ask(token, session.webToken).caller == .user(session.userRecordName))
    let change = accountServer.accounts.changePassword
    #expect(
      try await refusal { try await change("ann", "not the password", "a new password", nil) }?.code
        == .authenticationFailed)
    #expect(
      try await refusal { try await change("ann", AccountServer.password, "short", nil) }?.code
        == .badRequest)
    #expect(
      await accountServer.ask(token, session.webToken).caller == .user(session.userRecordName))
    try await change("ann", AccountServer.password, "a new password", nil)
    #expect(await accountServer.ask(token, session.webToken).code == .authenticationFailed)
    #expect(
      try await refusal { _ = try await accountServer.signIn("ann") }?.code == .authenticationFailed
    )
    #expect(
      try await accountServer.signIn("ann", "a new password").userRecordName
        == session.userRecordName)
    #expect(try await accountServer.accounts.sessions(of: account).count == 1)
  }

  @Test func `An administrator sets a password without the old one`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    try await accountServer.accounts.setPassword(ofAccount: "Ann", to: "a new password")
    _ = try await accountServer.signIn("ann", "a new password")
    #expect(
      try await refusal {
        try await accountServer.accounts.setPassword(ofAccount: "bob", to: "a new password")
      }?.code
        == .notFound)
  }

  @Test func `A disabled account cannot be used until it is enabled`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let session = try await accountServer.signIn("ann")
    let token = try await accountServer.apiToken()
    #expect(await accountServer.ask(token, session.webToken).caller != nil)
    try await accountServer.accounts.disable(accountNamed: "ann")
    #expect(await accountServer.ask(token, session.webToken).code == .authenticationFailed)
    #expect(
      try await refusal { _ = try await accountServer.signIn("ann") }?.code == .authenticationFailed
    )
    try await accountServer.accounts.enable(accountNamed: "ann")
    #expect(await accountServer.ask(token, session.webToken).code == .authenticationFailed)
    #expect(try await accountServer.signIn("ann").userRecordName == session.userRecordName)
  }

  @Test func `Removing an account removes its sessions and user record, and frees its name`()
    async throws
  {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann@example.com")
    let session = try await accountServer.signIn("ann@example.com")
    let token = try await accountServer.apiToken()
    #expect(await accountServer.ask(token, session.webToken).caller != nil)
    try await accountServer.accounts.remove(accountNamed: "ann@example.com")
    #expect(await accountServer.ask(token, session.webToken).code == .authenticationFailed)
    let left = try await accountServer.stored().map { String(decoding: $0, as: UTF8.self) }
    #expect(!left.contains { $0.contains("ann@example.com") || $0.contains(session.identifier) })
    let record = try await accountServer.cloud.user("_bob").lookUp(
      in: .public, session.userRecordName
    )
    .records
    #expect(record == ["\(session.userRecordName): NOT_FOUND"])
    try await accountServer.add("ann@example.com")
    #expect(
      try await accountServer.signIn("ann@example.com").userRecordName != session.userRecordName)
    #expect(
      try await refusal { try await accountServer.accounts.remove(accountNamed: "bob") }?.code
        == .notFound)
  }

  @Test func `A more expensive hash replaces a cheaper one at the next sign-in`() async throws {
    let engine = CountingEngine()
    let first = try await AccountServer(engine: engine)
    try await first.add("ann")
    var settings = AccountServer.settings
    settings.passwordCost = PasswordHash.Cost(memoryBytes: 16 << 10, passes: 2)
    let second = try await AccountServer(settings, engine: engine, on: first.cloud)
    #expect(second.administratorKey == nil)
    _ = try await second.signIn("ann")
    let after = second.accounts.passwordHashCount
    _ = try await second.signIn("ann")
    #expect(second.accounts.passwordHashCount == after + 1, "it was renewed once")
    #expect(
      try await second.stored().contains {
        String(decoding: $0, as: UTF8.self).contains("m=16,t=2")
      })
  }

  @Test func `Two devices can sign in at once after the cost of hashes was raised`() async throws {
    let engine = ReadCountingEngine()
    let first = try await AccountServer(engine: engine)
    try await first.add("ann")
    var settings = AccountServer.settings
    settings.passwordCost = PasswordHash.Cost(memoryBytes: 16 << 10, passes: 2)
    let second = try await AccountServer(settings, engine: engine, on: first.cloud)
    // The other device renews the hash after this one has read it.
    let once = Counter()
    engine.afterRead {
      guard once.take(of: [()]) != nil else { return }
      await #expect(throws: Never.self) { _ = try await second.signIn("ann") }
    }
    let session = try await second.signIn("ann")
    #expect(once.count == 1)
    #expect(!session.userRecordName.isEmpty)
    #expect(second.accounts.passwordHashCount == 5, "three checks and two new hashes")
  }
}
