import CloudRecords
import RecordServer
import Testing

@Suite struct `Expired sessions` {
  @Test func `Expired sessions of all accounts are ended, and others continue`() async throws {
    let accountServer = try await AccountServer()
    let ada = try await accountServer.add("ada")
    let bob = try await accountServer.add("bob")
    // Both have used the container before.
    for account in [ada, bob] {
      let session = try await accountServer.accounts.startSession(
        of: account, in: AccountServer.container, isKept: false)
      try await accountServer.accounts.endSession(session.identifier, of: account)
    }
    try await accountServer.cloud.server.runMaintenance()
    let before = try await accountServer.stored().count
    for _ in 0..<3 {
      _ = try await accountServer.accounts.startSession(
        of: ada, in: AccountServer.container, isKept: false)
    }
    let kept = try await accountServer.accounts.startSession(
      of: bob, in: AccountServer.container, isKept: true)
    #expect(try await accountServer.accounts.endDeadSessions() == 0)
    accountServer.pass(minutes: 60)
    #expect(try await accountServer.accounts.endDeadSessions() == 3)
    #expect(
      try await accountServer.accounts.sessions(of: bob).map(\.identifier) == [kept.identifier])
    accountServer.pass(minutes: 15 * 24 * 60)
    try await accountServer.accounts.runMaintenance()
    #expect(try await accountServer.accounts.endDeadSessions() == 0)
    #expect(try await accountServer.stored().count == before)
  }
}
