import CloudRecords
import RecordServer
import Testing

@Suite struct InvitationTests {
  private func accountServer() async throws -> AccountServer {
    var settings = AccountServer.settings
    settings.signUp = .invited
    return try await AccountServer(settings)
  }

  private func signUp(_ accountServer: AccountServer, _ name: String, _ code: String?) async throws
    -> CloudError?
  {
    try await refusal {
      _ = try await accountServer.accounts.signUp(
        name: name, password: AccountServer.password, invitation: code, from: "10.0.0.1")
    }
  }

  @Test func `A code works for one account, even if two users try it at once`() async throws {
    let accountServer = try await accountServer()
    let code = try await accountServer.accounts.invite().code
    async let first = signUp(accountServer, "ann", code)
    async let second = signUp(accountServer, "bob", code)
    let refusals = try await [first, second]
    #expect(refusals.count { $0 == nil } == 1)
    #expect(refusals.compactMap(\.self).map(\.code) == [.accessDenied])
    #expect(try await accountServer.accounts.accounts().count == 1)
  }

  @Test func `An unused code expires after two weeks, and the next invitation deletes it`()
    async throws
  {
    let accountServer = try await accountServer()
    let invitation = try await accountServer.accounts.invite()
    let entries = try await accountServer.stored().count
    accountServer.pass(minutes: 14 * 24 * 60)
    #expect(try await signUp(accountServer, "ann", invitation.code)?.code == .accessDenied)
    #expect(try await signUp(accountServer, "ann", nil)?.code == .accessDenied)
    let next = try await accountServer.accounts.invite(
      until: accountServer.accounts.server.dependencies.now().adding(days: 1))
    #expect(try await accountServer.stored().count == entries)
    #expect(try await signUp(accountServer, "ann", next.code) == nil)
  }

  @Test func `No code is stored`() async throws {
    let accountServer = try await accountServer()
    let code = try await accountServer.accounts.invite().code
    for text in [code, code.filter { $0 != "-" }] {
      let bytes = Array(text.utf8)
      #expect(try await accountServer.stored().allSatisfy { $0.firstRange(of: bytes) == nil })
    }
  }

  @Test func `Administrators create accounts without a code`() async throws {
    let accountServer = try await accountServer()
    try await accountServer.add("ann")
    #expect(try await accountServer.signIn("ann").userRecordName.hasPrefix("_"))
  }
}

extension Timestamp {
  fileprivate func adding(days: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + days * 86_400_000)
  }
}
