import CloudRecords
import Cryptography
import RecordServer
import Testing

@Suite struct AttemptTests {
  private func attempt(
    _ accountServer: AccountServer, _ name: String, _ password: String = "wrong password",
    from address: String? = nil
  ) async throws -> CloudError? {
    try await refusal { _ = try await accountServer.signIn(name, password, from: address) }
  }

  @Test func `A name allows ten attempts at once, then one a minute`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    for _ in 0..<10 {
      #expect(try await attempt(accountServer, "ann")?.code == .authenticationFailed)
    }
    let hashes = accountServer.accounts.passwordHashCount
    let refused = try await attempt(accountServer, " ANN", AccountServer.password)
    #expect(refused?.code == .throttled)
    #expect(refused?.retryAfterSeconds == 60)
    #expect(accountServer.accounts.passwordHashCount == hashes, "a throttled attempt costs no hash")
    accountServer.cloud.pass(seconds: 59)
    #expect(try await attempt(accountServer, "ann")?.retryAfterSeconds == 1)
    accountServer.cloud.pass(seconds: 1)
    #expect(try await attempt(accountServer, "ann")?.code == .authenticationFailed)
    #expect(try await attempt(accountServer, "ann")?.code == .throttled)
    accountServer.pass(minutes: 1)
    #expect(try await attempt(accountServer, "ann", AccountServer.password) == nil)
  }

  @Test func `Names that do not exist are counted as well`() async throws {
    let accountServer = try await AccountServer()
    for _ in 0..<10 {
      #expect(try await attempt(accountServer, "nobody")?.code == .authenticationFailed)
    }
    #expect(try await attempt(accountServer, "nobody")?.code == .throttled)
    #expect(try await attempt(accountServer, "somebody")?.code == .authenticationFailed)
  }

  @Test func `Attempts with the right password are not counted`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    for _ in 0..<50 {
      #expect(
        try await attempt(accountServer, "ann", AccountServer.password, from: "10.0.0.1") == nil)
    }
  }

  @Test func `A rejection by a busy server does not count as an attempt`() async throws {
    var settings = AccountServer.settings
    settings.passwordCost = PasswordHash.Cost(memoryBytes: 8 << 20, passes: 1)
    settings.attemptsByName = AttemptRate(atOnce: 100, secondsForEach: 60)
    let accountServer = try await AccountServer(settings)
    try await accountServer.add("ann")
    // More concurrent sign-ins than the server queues for hashing.
    var rejections = 0
    for _ in 0..<20 where rejections == 0 {
      rejections = await withTaskGroup(of: CloudErrorCode?.self) { group in
        for _ in 0..<100 {
          group.addTask { try? await attempt(accountServer, "ann", AccountServer.password)?.code }
        }
        return await group.reduce(0) { $0 + ($1 == .throttled ? 1 : 0) }
      }
    }
    try #require(rejections > 0)
    for _ in 0..<100 {
      #expect(try await attempt(accountServer, "ann")?.code == .authenticationFailed)
    }
  }

  @Test func `An address allows thirty attempts, whatever the names`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    for number in 0..<30 {
      #expect(
        try await attempt(accountServer, "name\(number)", from: "10.0.0.1")?.code
          == .authenticationFailed)
    }
    let refused = try await attempt(accountServer, "ann", AccountServer.password, from: "10.0.0.1")
    #expect(refused?.code == .throttled)
    #expect(refused?.retryAfterSeconds == 10)
    #expect(
      try await attempt(accountServer, "ann", AccountServer.password, from: "10.0.0.2") == nil)
    accountServer.cloud.pass(seconds: 10)
    #expect(
      try await attempt(accountServer, "ann", AccountServer.password, from: "10.0.0.1") == nil)
  }

  @Test func `A throttled address cannot lock out a name`() async throws {
    var settings = AccountServer.settings
    settings.attemptsByAddress = AttemptRate(atOnce: 3, secondsForEach: 10)
    let accountServer = try await AccountServer(settings)
    try await accountServer.add("ann")
    for _ in 0..<20 { _ = try await attempt(accountServer, "ann", from: "10.0.0.1") }
    #expect(
      try await attempt(accountServer, "ann", AccountServer.password, from: "10.0.0.2") == nil)
  }

  @Test func `Sign-ups are counted by address`() async throws {
    var settings = AccountServer.settings
    settings.attemptsByAddress = AttemptRate(atOnce: 3, secondsForEach: 10)
    let accountServer = try await AccountServer(settings)
    func signUp(_ name: String) async throws -> CloudErrorCode? {
      try await refusal {
        _ = try await accountServer.accounts.signUp(
          name: name, password: AccountServer.password, from: "10.0.0.1")
      }?.code
    }
    for number in 0..<3 { #expect(try await signUp("name\(number)") == nil) }
    #expect(try await signUp("name3") == .throttled)
    accountServer.cloud.pass(seconds: 10)
    #expect(try await signUp("name3") == nil)
  }

  @Test(arguments: [334, 500, 600, 999])
  func `Requests become available again at the given rate`(perSecond: Int) async throws {
    var settings = AccountServer.settings
    settings.requests = AttemptRate(atOnce: 20_000, perSecond: perSecond)
    let accountServer = try await AccountServer(settings)
    func allowed() async throws -> Int {
      let accounts = accountServer.accounts
      var count = 0
      while try await refusal({ try accounts.countRequest(from: "10.0.0.1") }) == nil { count += 1 }
      return count
    }
    #expect(try await allowed() == 20_000)
    accountServer.cloud.pass(seconds: 10)
    let count = try await allowed()
    #expect(abs(count - perSecond * 10) <= perSecond / 10, "\(count)")
  }

  @Test func `Changing a password does not allow faster guessing of the old one`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    func change() async throws -> CloudErrorCode? {
      try await refusal {
        try await accountServer.accounts.changePassword(
          ofAccount: "ann", from: "wrong password", to: "a new password", address: nil)
      }?.code
    }
    for _ in 0..<10 { #expect(try await change() == .authenticationFailed) }
    #expect(try await change() == .throttled)
  }

  @Test func `Parallel attempts are counted one by one`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let codes = await withTaskGroup(of: CloudErrorCode?.self) { group in
      for _ in 0..<40 { group.addTask { try? await attempt(accountServer, "ann")?.code } }
      return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(codes == [.authenticationFailed: 10, .throttled: 30])
  }
}
