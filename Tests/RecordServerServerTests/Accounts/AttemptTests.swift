import CloudRecords
import RecordServer
import Testing

@Suite struct AttemptTests {
  private func attempt(
    _ registry: Registry, _ name: String, _ password: String = "wrong password",
    from address: String? = nil
  ) async throws -> CloudError? {
    try await refusal { _ = try await registry.signIn(name, password, from: address) }
  }

  @Test func `A name allows ten attempts at once, then one a minute`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    for _ in 0..<10 { #expect(try await attempt(registry, "ann")?.code == .authenticationFailed) }
    let hashes = registry.accounts.passwordHashCount
    let refused = try await attempt(registry, " ANN", Registry.password)
    #expect(refused?.code == .throttled)
    #expect(refused?.retryAfterSeconds == 60)
    #expect(registry.accounts.passwordHashCount == hashes, "who is turned away costs no hash")
    registry.cloud.pass(seconds: 59)
    #expect(try await attempt(registry, "ann")?.retryAfterSeconds == 1)
    registry.cloud.pass(seconds: 1)
    #expect(try await attempt(registry, "ann")?.code == .authenticationFailed)
    #expect(try await attempt(registry, "ann")?.code == .throttled)
    registry.pass(minutes: 1)
    #expect(try await attempt(registry, "ann", Registry.password) == nil)
  }

  @Test func `Names that do not exist are counted as well`() async throws {
    let registry = try await Registry()
    for _ in 0..<10 {
      #expect(try await attempt(registry, "nobody")?.code == .authenticationFailed)
    }
    #expect(try await attempt(registry, "nobody")?.code == .throttled)
    #expect(try await attempt(registry, "somebody")?.code == .authenticationFailed)
  }

  @Test func `The right password is never turned away`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    for _ in 0..<50 {
      #expect(try await attempt(registry, "ann", Registry.password, from: "10.0.0.1") == nil)
    }
  }

  @Test func `An address allows thirty attempts, whatever the names`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    for number in 0..<30 {
      #expect(
        try await attempt(registry, "name\(number)", from: "10.0.0.1")?.code
          == .authenticationFailed)
    }
    let refused = try await attempt(registry, "ann", Registry.password, from: "10.0.0.1")
    #expect(refused?.code == .throttled)
    #expect(refused?.retryAfterSeconds == 10)
    #expect(try await attempt(registry, "ann", Registry.password, from: "10.0.0.2") == nil)
    registry.cloud.pass(seconds: 10)
    #expect(try await attempt(registry, "ann", Registry.password, from: "10.0.0.1") == nil)
  }

  @Test func `An address that is turned away cannot lock out a name`() async throws {
    var settings = Registry.settings
    settings.attemptsByAddress = AttemptRate(atOnce: 3, secondsForEach: 10)
    let registry = try await Registry(settings)
    try await registry.add("ann")
    for _ in 0..<20 { _ = try await attempt(registry, "ann", from: "10.0.0.1") }
    #expect(try await attempt(registry, "ann", Registry.password, from: "10.0.0.2") == nil)
  }

  @Test func `Sign-ups are counted by address`() async throws {
    var settings = Registry.settings
    settings.attemptsByAddress = AttemptRate(atOnce: 3, secondsForEach: 10)
    let registry = try await Registry(settings)
    func signUp(_ name: String) async throws -> CloudErrorCode? {
      try await refusal {
        _ = try await registry.accounts.signUp(
          name: name, password: Registry.password, from: "10.0.0.1")
      }?.code
    }
    for number in 0..<3 { #expect(try await signUp("name\(number)") == nil) }
    #expect(try await signUp("name3") == .throttled)
    registry.cloud.pass(seconds: 10)
    #expect(try await signUp("name3") == nil)
  }

  @Test func `Changing a password does not allow faster guessing of the old one`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    func change() async throws -> CloudErrorCode? {
      try await refusal {
        try await registry.accounts.changePassword(
          ofAccount: "ann", from: "wrong password", to: "a new password", address: nil)
      }?.code
    }
    for _ in 0..<10 { #expect(try await change() == .authenticationFailed) }
    #expect(try await change() == .throttled)
  }

  @Test func `Parallel attempts are counted one by one`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let codes = await withTaskGroup(of: CloudErrorCode?.self) { group in
      for _ in 0..<40 { group.addTask { try? await attempt(registry, "ann")?.code } }
      return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(codes == [.authenticationFailed: 10, .throttled: 30])
  }
}
