import CloudRecords
import CloudWire
import Cryptography
import RecordServer
import Testing

@Suite struct AccountTests {
  @Test func `A new user can sign in with any spelling of the name`() async throws {
    let registry = try await Registry()
    try await registry.add("Ann@Example.com")
    let first = try await registry.signIn("ann@example.com")
    let second = try await registry.signIn(" ANN@example.COM ")
    #expect(first.userRecordName == second.userRecordName)
    #expect(first.webToken != second.webToken)
    #expect(first.userRecordName.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
    #expect(first.webToken.wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func `A name belongs to one account`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let error = try await refusal { try await registry.add("ANN", password: "another password") }
    #expect(error?.code == .exists)
    _ = try await registry.signIn("ann")
  }

  @Test func `If two users take a name at once, one gets it`() async throws {
    let registry = try await Registry()
    let taken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask { (try? await registry.add("ann", password: "password \(number)")) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
    #expect(try await registry.accounts.accounts().count == 1)
  }

  @Test(arguments: [("1234567", false), ("12345678", true), ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", false), ("", false)])
  func `A password has at least eight characters`(password: String, isGood: Bool) async throws {
    let registry = try await Registry()
    let error = try await refusal { try await registry.add("ann", password: password) }
    #expect(error?.code == (isGood ? nil : .badRequest))
  }

  @Test func `A password can be long while hashing stays cheap`() async throws {
    let registry = try await Registry()
    let longest = String(repeating: "x", count: 1024)
    try await registry.add("ann", password: longest)
    _ = try await registry.signIn("ann", longest)
    #expect(
      try await refusal { _ = try await registry.signIn("ann", longest + "x") }?.code
        == .authenticationFailed)
    #expect(
      try await refusal { try await registry.add("bob", password: longest + "x") }?.code
        == .badRequest)
  }

  @Test func `Unknown, wrong, disabled and invalid names get one answer and cost one hash`()
    async throws
  {
    let registry = try await Registry()
    try await registry.add("ann")
    try await registry.add("carol")
    try await registry.accounts.disable(accountNamed: "carol")
    let tries = [
      ("ann", "wrong password"), ("nobody", "wrong password"), ("carol", Registry.password),
      ("??", "x"),
      ("ann", String(repeating: "x", count: 5000)), ("ann", ""),
    ]
    var errors: Set<CloudError?> = []
    for (name, password) in tries {
      let before = registry.accounts.passwordHashCount
      errors.insert(try await refusal { _ = try await registry.signIn(name, password) })
      #expect(registry.accounts.passwordHashCount == before + 1, "\(name)")
    }
    #expect(errors == [CloudError(.authenticationFailed, "The name or the password is wrong.")])
  }

  // MARK: Names in containers

  @Test func `A user has a different name in each container`() async throws {
    let registry = try await Registry()
    let other = ContainerAddress(container: "iCloud.other", environment: .development)
    _ = try await registry.cloud.server.makeRealm(of: other)
    let account = try await registry.add("ann@example.com")
    let here = try await registry.signIn("ann@example.com").userRecordName
    let there = try await registry.signIn("ann@example.com", to: other).userRecordName
    #expect(here != there)
    let production = ContainerAddress(container: "iCloud.test", environment: .production)
    #expect(try await registry.signIn("ann@example.com", to: production).userRecordName == here)
    #expect(registry.accounts.userRecordName(of: account, in: "iCloud.test") == here)
    #expect(!here.contains(account.identifier) && !there.contains(account.identifier))
    // Another server gives the same account other names, because they depend on its secret.
    let elsewhere = try await Registry()
    #expect(elsewhere.accounts.userRecordName(of: account, in: "iCloud.test") != here)
  }

  @Test func `A container that was not set up does not allow signing in`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let missing = ContainerAddress(container: "iCloud.missing", environment: .development)
    #expect(
      try await refusal { _ = try await registry.signIn("ann", to: missing) }?.code == .notFound)
  }

  @Test func `The container learns of a new user and of changes`() async throws {
    let registry = try await Registry()
    let name = UserIdentity.NameComponents(givenName: "Ann", familyName: "Lee")
    _ = try await registry.accounts.signUp(
      name: "ann@example.com", password: Registry.password, nameComponents: name, from: nil)
    let session = try await registry.signIn("ann@example.com")
    let client = try await registry.cloud.user(session.userRecordName)
    var user = try await client.ask(.public, .usersCaller)["users"][0]
    #expect(user["userRecordName"].text == session.userRecordName)
    #expect(user["nameComponents"]["familyName"].text == "Lee")
    try await registry.accounts.rename(
      accountNamed: "ann@example.com",
      to: UserIdentity.NameComponents(givenName: "Ann", familyName: "Ray"))
    user = try await client.ask(.public, .usersCaller)["users"][0]
    #expect(user["nameComponents"]["familyName"].text == "Ray")
  }

  @Test func `What a container knows beyond the account survives signing in`() async throws {
    let registry = try await Registry()
    try await registry.add("ann@example.com")
    let session = try await registry.signIn("ann@example.com")
    let realm = try await registry.cloud.server.makeRealm(of: Registry.container)
    var user = StoredUser(identity: UserIdentity(userRecordName: session.userRecordName))
    user.roles = ["editors"]
    try await registry.cloud.server.saveUser(user, named: session.userRecordName, in: realm)
    try await registry.accounts.setDiscoverable(true, accountNamed: "ann@example.com")
    _ = try await registry.signIn("ann@example.com")
    #expect(try await found("ann@example.com", by: session, registry) == session.userRecordName)
    let stored = try await registry.stored()
    #expect(stored.contains { String(decoding: $0, as: UTF8.self).contains("editors") })
  }

  @Test func `An address that an administrator sets is proven`() async throws {
    let registry = try await Registry()
    _ = try await registry.accounts.signUp(
      name: "ann@example.com", password: Registry.password, from: "10.0.0.1")
    try await registry.add("bob@example.com")
    let (ann, bob) = (
      try await registry.signIn("ann@example.com"), try await registry.signIn("bob@example.com")
    )
    try await makeDiscoverable(["ann@example.com", "bob@example.com"], registry)
    #expect(try await found("ann@example.com", by: bob, registry) == nil)
    #expect(try await found("bob@example.com", by: ann, registry) == bob.userRecordName)
    try await registry.accounts.setAddressProven(true, ofAccountNamed: "ann@example.com")
    #expect(try await found("ann@example.com", by: bob, registry) == ann.userRecordName)
    try await registry.accounts.setAddressProven(false, ofAccountNamed: "ann@example.com")
    #expect(try await found("ann@example.com", by: bob, registry) == nil)
  }

  @Test func `A plain name is not an address that can be proven`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    #expect(
      try await refusal {
        try await registry.accounts.setAddressProven(true, ofAccountNamed: "ann")
      }?.code
        == .badRequest)
  }

  @Test func `An operator can trust users' statements of their addresses`() async throws {
    var settings = Registry.settings
    settings.trustsNewAddresses = true
    let registry = try await Registry(settings)
    let account = try await registry.accounts.signUp(
      name: "ann@example.com", password: Registry.password, from: "10.0.0.1")
    #expect(account.hasProvenAddress)
  }

  private func makeDiscoverable(_ names: [String], _ registry: Registry) async throws {
    for name in names { try await registry.accounts.setDiscoverable(true, accountNamed: name) }
  }

  private func found(_ address: String, by session: StartedSession, _ registry: Registry)
    async throws -> String?
  {
    try await registry.cloud.user(session.userRecordName).ask(
      .public, .usersDiscover, #"{"lookupInfos":[{"emailAddress":"\#(address)"}]}"#)["users"][0][
        "userRecordName"
      ].text
  }

  // MARK: Administration

  @Test func `A new password ends the old one's sessions`() async throws {
    let registry = try await Registry()
    let account = try await registry.add("ann")
    let session = try await registry.signIn("ann")
    let token = try await registry.apiToken()
    #expect(await registry.ask(token, session.webToken).caller == .user(session.userRecordName))
    let change = registry.accounts.changePassword
    #expect(
      try await refusal { try await change("ann", "not the password", "a new password", nil) }?.code
        == .authenticationFailed)
    #expect(
      try await refusal { try await change("ann", Registry.password, "short", nil) }?.code
        == .badRequest)
    #expect(await registry.ask(token, session.webToken).caller == .user(session.userRecordName))
    try await change("ann", Registry.password, "a new password", nil)
    #expect(await registry.ask(token, session.webToken).code == .authenticationFailed)
    #expect(
      try await refusal { _ = try await registry.signIn("ann") }?.code == .authenticationFailed)
    #expect(
      try await registry.signIn("ann", "a new password").userRecordName == session.userRecordName)
    #expect(try await registry.accounts.sessions(of: account).count == 1)
  }

  @Test func `An administrator sets a password without the old one`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    try await registry.accounts.setPassword(ofAccount: "Ann", to: "a new password")
    _ = try await registry.signIn("ann", "a new password")
    #expect(
      try await refusal {
        try await registry.accounts.setPassword(ofAccount: "bob", to: "a new password")
      }?.code
        == .notFound)
  }

  @Test func `A disabled account cannot be used until it is enabled`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let session = try await registry.signIn("ann")
    let token = try await registry.apiToken()
    #expect(await registry.ask(token, session.webToken).caller != nil)
    try await registry.accounts.disable(accountNamed: "ann")
    #expect(await registry.ask(token, session.webToken).code == .authenticationFailed)
    #expect(
      try await refusal { _ = try await registry.signIn("ann") }?.code == .authenticationFailed)
    try await registry.accounts.enable(accountNamed: "ann")
    #expect(await registry.ask(token, session.webToken).code == .authenticationFailed)
    #expect(try await registry.signIn("ann").userRecordName == session.userRecordName)
  }

  @Test func `A removed account leaves no data of the user, and its name is free`() async throws {
    let registry = try await Registry()
    try await registry.add("ann@example.com")
    let session = try await registry.signIn("ann@example.com")
    let token = try await registry.apiToken()
    #expect(await registry.ask(token, session.webToken).caller != nil)
    try await registry.accounts.remove(accountNamed: "ann@example.com")
    #expect(await registry.ask(token, session.webToken).code == .authenticationFailed)
    let left = try await registry.stored().map { String(decoding: $0, as: UTF8.self) }
    #expect(!left.contains { $0.contains("ann@example.com") || $0.contains(session.identifier) })
    let record = try await registry.cloud.user("_bob").lookUp(in: .public, session.userRecordName)
      .records
    #expect(record == ["\(session.userRecordName): NOT_FOUND"])
    try await registry.add("ann@example.com")
    #expect(try await registry.signIn("ann@example.com").userRecordName != session.userRecordName)
    #expect(
      try await refusal { try await registry.accounts.remove(accountNamed: "bob") }?.code
        == .notFound)
  }

  @Test func `A more expensive hash replaces a cheaper one at the next sign-in`() async throws {
    let engine = CountingEngine()
    let first = try await Registry(engine: engine)
    try await first.add("ann")
    var settings = Registry.settings
    settings.passwordCost = PasswordHash.Cost(memoryBytes: 16 << 10, passes: 2)
    let second = try await Registry(settings, engine: engine, on: first.cloud)
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
}
