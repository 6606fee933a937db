import CloudRecords
import RecordServer
import RecordStorage
import Testing

@Suite struct SecretTests {
  @Test func `The administrators' key is shown once and gives no other access`() async throws {
    let accountServer = try await AccountServer()
    let key = try #require(accountServer.administratorKey)
    #expect(key.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    #expect(try await accountServer.accounts.isAdministratorKey(key))
    let again = try await AccountServer(engine: accountServer.engine, on: accountServer.cloud)
    #expect(again.administratorKey == nil)
    #expect(try await again.accounts.isAdministratorKey(key))
    #expect(await accountServer.ask(key).code == .authenticationFailed)
    #expect(
      await accountServer.ask(try await accountServer.apiToken(), key).code == .authenticationFailed
    )
    let apiToken = try await accountServer.apiToken()
    for other in [
      "", key.uppercased(), key + "0", String(key.dropLast()), String(key.reversed()), apiToken,
    ] {
      #expect(try await !accountServer.accounts.isAdministratorKey(other))
    }
  }

  @Test func `The first administrators' key is created on demand, once`() async throws {
    let accounts = try await Accounts.open(Cloud().server, settings: AccountServer.settings)
    let key = try #require(try await accounts.makeFirstAdministratorKey())
    #expect(try await accounts.isAdministratorKey(key))
    #expect(try await accounts.makeFirstAdministratorKey() == nil)
    #expect(try await accounts.isAdministratorKey(key))
  }

  @Test func `A new administrators' key replaces the old one`() async throws {
    let accountServer = try await AccountServer()
    let old = try #require(accountServer.administratorKey)
    let new = try await accountServer.accounts.replaceAdministratorKey()
    #expect(try await accountServer.accounts.isAdministratorKey(new))
    #expect(try await !accountServer.accounts.isAdministratorKey(old))
  }

  @Test func `Servers that first start at once on one storage agree on user record names`()
    async throws
  {
    let account = try await AccountServer().add("ann")
    let cloud = Cloud()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await AccountServer(engine: cloud.server.engine, on: cloud).accounts.userRecordName(
            of: account, in: "iCloud.test")
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(names.count == 1)
  }

  @Test func `No credential is stored in plain text`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann@example.com")
    let apiToken = try await accountServer.apiToken()
    let session = try await accountServer.signIn("ann@example.com", isKept: true)
    accountServer.pass(minutes: 6)
    let second = try #require(await accountServer.ask(apiToken, session.webToken).webToken)
    _ = await accountServer.ask(apiToken, second)
    let key = try #require(accountServer.administratorKey)
    let secrets = [AccountServer.password, apiToken, session.webToken, second, key]
    #expect(Set(secrets).count == 5)
    let stored = try await accountServer.stored()
    #expect(stored.count > 16)
    for (place, secret) in secrets.enumerated() {
      for form in forms(of: secret) {
        for bytes in stored { #expect(!contains(bytes, form), "secret \(place)") }
      }
    }
    // The search finds existing values.
    #expect(stored.contains { contains($0, Array("ann@example.com".utf8)) })
    #expect(stored.contains { contains($0, Array(session.identifier.utf8)) })
  }

  /// The text, and the bytes that it encodes if it is hexadecimal.
  private func forms(of secret: String) -> [[UInt8]] {
    let text = Array(secret.utf8)
    let pairs = stride(from: 0, to: text.count - 1, by: 2).map {
      String(decoding: text[$0...($0 + 1)], as: UTF8.self)
    }
    let bytes = pairs.compactMap { UInt8($0, radix: 16) }
    return bytes.count == 32 ? [text, bytes] : [text]
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains {
      bytes[$0..<($0 + part.count)].elementsEqual(part)
    }
  }

  @Test func `Damaged stored values are reported and never admit another user`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let apiToken = try await accountServer.apiToken()
    let session = try await accountServer.signIn("ann")
    let entries = try await accountServer.engine.read { transaction in
      try transaction.entries(in: .all)
    }
    var refused = 0
    for entry in entries where !entry.value.isEmpty {
      try await accountServer.store(Array(entry.value.dropLast()), for: entry.key)
      let callers: Set<Caller?>
      if let again = try? await AccountServer(engine: accountServer.engine, on: accountServer.cloud)
      {
        callers = [await again.ask(apiToken, session.webToken).caller]
      } else {
        callers = [nil]
      }
      #expect(callers.isSubset(of: [nil, .user(session.userRecordName)]))
      refused += callers == [nil] ? 1 : 0
      try await accountServer.store(entry.value, for: entry.key)
    }
    #expect(refused >= 4, "the server's secret, the API token, the session, the web token")
    #expect(
      await accountServer.ask(apiToken, session.webToken).caller == .user(session.userRecordName))
  }
}
