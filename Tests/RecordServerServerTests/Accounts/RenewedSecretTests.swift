import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Renewed secrets` {
  private static let day: Double = 24 * 60

  @Test func `A renewal keeps the token successors that were already issued`() async throws {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let apiToken = try await accountServer.apiToken()
    let session = try await accountServer.signIn("ann", isKept: true)
    accountServer.pass(minutes: 6)
    let second = try #require(await accountServer.ask(apiToken, session.webToken).webToken)
    try await accountServer.accounts.renewSecrets()
    #expect(await accountServer.ask(apiToken, session.webToken).webToken == second)
    #expect(await accountServer.ask(apiToken, second).caller != nil)
    accountServer.pass(minutes: 6)
    let third = try #require(await accountServer.ask(apiToken, second).webToken)
    #expect(third != second)
    #expect(await accountServer.ask(apiToken, third).caller != nil)
  }

  @Test(arguments: [true, false])
  func `A client that lost a successor gets another one after a renewal`(atOnce: Bool)
    async throws
  {
    let accountServer = try await AccountServer()
    try await accountServer.add("ann")
    let apiToken = try await accountServer.apiToken()
    let session = try await accountServer.signIn("ann", isKept: true)
    accountServer.pass(minutes: 6)
    let lost = try #require(await accountServer.ask(apiToken, session.webToken).webToken)
    try await accountServer.accounts.renewSecrets(atOnce: atOnce)
    accountServer.pass(minutes: 3 * Self.day)
    // The response with the successor was lost, and the secret that derived it was replaced.
    let next = try #require(await accountServer.ask(apiToken, session.webToken).webToken)
    #expect(next != lost)
    #expect(await accountServer.ask(apiToken, next).caller != nil)
    #expect(await accountServer.ask(apiToken, lost).code == .authenticationFailed)
  }

  @Test func `User record names survive a renewal of the secrets`() async throws {
    let accountServer = try await AccountServer()
    let account = try await accountServer.add("ann")
    let name = accountServer.accounts.userRecordName(of: account, in: "iCloud.test")
    try await accountServer.accounts.renewSecrets(atOnce: true)
    #expect(accountServer.accounts.userRecordName(of: account, in: "iCloud.test") == name)
    let again = try await AccountServer(engine: accountServer.engine, on: accountServer.cloud)
    #expect(again.accounts.userRecordName(of: account, in: "iCloud.test") == name)
  }

  @Test func `Form codes expire a day after a renewal, or at once`() async throws {
    let accountServer = try await AccountServer()
    let code = accountServer.accounts.formCode(for: "cookie")
    try await accountServer.accounts.renewSecrets()
    #expect(accountServer.accounts.formCode(for: "cookie") != code)
    #expect(
      accountServer.accounts.isFormCode(code, for: "cookie")
        && !accountServer.accounts.isFormCode(code, for: "other"))
    accountServer.pass(minutes: Self.day)
    #expect(!accountServer.accounts.isFormCode(code, for: "cookie"))
    let later = accountServer.accounts.formCode(for: "cookie")
    try await accountServer.accounts.renewSecrets(atOnce: true)
    #expect(!accountServer.accounts.isFormCode(later, for: "cookie"))
  }

  @Test func `Maintenance loads secrets that another process renewed`() async throws {
    let accountServer = try await AccountServer()
    let other = try await AccountServer(engine: accountServer.engine, on: accountServer.cloud)
    try await accountServer.accounts.renewSecrets(atOnce: true)
    let code = accountServer.accounts.formCode(for: "cookie")
    #expect(!other.accounts.isFormCode(code, for: "cookie"))
    try await other.accounts.runMaintenance()
    #expect(other.accounts.isFormCode(code, for: "cookie"))
  }

  @Test func `Maintenance loads renewed secrets although one of its tasks fails`() async throws {
    let engine = FailingEngine()
    let accountServer = try await AccountServer(engine: engine)
    let other = try await AccountServer(engine: engine, on: accountServer.cloud)
    let ada = try await accountServer.cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    try await accountServer.accounts.renewSecrets(atOnce: true)
    let code = accountServer.accounts.formCode(for: "cookie")
    engine.fail(afterWrites: 0)
    let failure = try await refusal { try await other.accounts.runMaintenance() }
    #expect(failure?.code == .tryAgainLater)
    #expect(other.accounts.isFormCode(code, for: "cookie"))
  }

  @Test(arguments: [true, false])
  func `File URLs expire a day after a renewal, or at once`(atOnce: Bool) async throws {
    let engine = MemoryStorageEngine()
    let clock = ManualClock()
    let dependencies = ServerDependencies(now: { clock.now }, makeName: { "0" })
    let tickets = try await AssetTickets.open(engine, dependencies: dependencies)
    let server = RecordServer(
      engine: engine, dependencies: dependencies, addresses: tickets, receipts: tickets,
      sealer: ValueSealer(nil))
    let accounts = try await Accounts.open(server, settings: AccountServer.settings)
    let grant = UploadGrant(
      realm: Realm(number: 1), scope: .private, owner: "_ada", userRecordName: "_ada",
      recordName: nil,
      fieldName: "file",
      expires: clock.now.later(by: 2 * 86_400))
    func ticket() -> String {
      tickets.upload(for: grant).split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
    }
    func isGood(_ ticket: String, by tickets: AssetTickets) -> Bool {
      (try? tickets.uploadGrant(ticket)) != nil
    }
    let before = ticket()
    try await accounts.renewSecrets(atOnce: atOnce)
    let after = ticket()
    #expect(isGood(before, by: tickets) == !atOnce && isGood(after, by: tickets))
    // A server that starts later knows the same secrets.
    let again = try await AssetTickets.open(engine, dependencies: dependencies)
    #expect(isGood(before, by: again) == !atOnce && isGood(after, by: again))
    clock.pass(seconds: 86_400)
    #expect(!isGood(before, by: tickets) && isGood(after, by: tickets))
  }
}

extension Timestamp {
  fileprivate func later(by seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + seconds * 1_000)
  }
}
