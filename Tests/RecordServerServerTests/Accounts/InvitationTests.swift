import CloudRecords
import RecordServer
import Testing

@Suite struct InvitationTests {
  private func registry() async throws -> Registry {
    var settings = Registry.settings
    settings.signUp = .invited
    return try await Registry(settings)
  }

  private func signUp(_ registry: Registry, _ name: String, _ code: String?) async throws
    -> CloudError?
  {
    try await refusal {
      _ = try await registry.accounts.signUp(
        name: name, password: Registry.password, invitation: code, from: "10.0.0.1")
    }
  }

  @Test func `A code works for one account, even if two users try it at once`() async throws {
    let registry = try await registry()
    let code = try await registry.accounts.invite().code
    async let first = signUp(registry, "ann", code)
    async let second = signUp(registry, "bob", code)
    let refusals = try await [first, second]
    #expect(refusals.count { $0 == nil } == 1)
    #expect(refusals.compactMap(\.self).map(\.code) == [.accessDenied])
    #expect(try await registry.accounts.accounts().count == 1)
  }

  @Test func `A code that was not used for two weeks expires, and is deleted with the next one`()
    async throws
  {
    let registry = try await registry()
    let invitation = try await registry.accounts.invite()
    let entries = try await registry.stored().count
    registry.pass(minutes: 14 * 24 * 60)
    #expect(try await signUp(registry, "ann", invitation.code)?.code == .accessDenied)
    #expect(try await signUp(registry, "ann", nil)?.code == .accessDenied)
    let next = try await registry.accounts.invite(
      until: registry.accounts.server.environment.now().adding(days: 1))
    #expect(try await registry.stored().count == entries)
    #expect(try await signUp(registry, "ann", next.code) == nil)
  }

  @Test func `No code is stored`() async throws {
    let registry = try await registry()
    let code = try await registry.accounts.invite().code
    for text in [code, code.filter { $0 != "-" }] {
      let bytes = Array(text.utf8)
      #expect(try await registry.stored().allSatisfy { $0.firstRange(of: bytes) == nil })
    }
  }

  @Test func `Administrators create accounts without a code`() async throws {
    let registry = try await registry()
    try await registry.add("ann")
    #expect(try await registry.signIn("ann").userRecordName.hasPrefix("_"))
  }
}

extension Timestamp {
  fileprivate func adding(days: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + days * 86_400_000)
  }
}
