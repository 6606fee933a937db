import CloudRecords
import RecordServer
import Testing

@Suite struct `Expired sessions` {
  @Test func `Sessions that are over are ended for all accounts, and others continue`() async throws
  {
    let registry = try await Registry()
    let ada = try await registry.add("ada")
    let bob = try await registry.add("bob")
    // Both have used the container before.
    for account in [ada, bob] {
      let session = try await registry.accounts.startSession(
        of: account, in: Registry.container, isKept: false)
      try await registry.accounts.endSession(session.identifier, of: account)
    }
    try await registry.cloud.server.runMaintenance()
    let before = try await registry.stored().count
    for _ in 0..<3 {
      _ = try await registry.accounts.startSession(of: ada, in: Registry.container, isKept: false)
    }
    let kept = try await registry.accounts.startSession(
      of: bob, in: Registry.container, isKept: true)
    #expect(try await registry.accounts.endDeadSessions() == 0)
    registry.pass(minutes: 60)
    #expect(try await registry.accounts.endDeadSessions() == 3)
    #expect(try await registry.accounts.sessions(of: bob).map(\.identifier) == [kept.identifier])
    registry.pass(minutes: 15 * 24 * 60)
    try await registry.accounts.runMaintenance()
    #expect(try await registry.accounts.endDeadSessions() == 0)
    #expect(try await registry.stored().count == before)
  }
}
