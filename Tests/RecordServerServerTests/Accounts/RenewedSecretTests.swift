import CloudRecords
import RecordServer
import RecordStorage
import Testing

@Suite struct `Renewed secrets` {
  private static let day: Double = 24 * 60

  @Test func `Users get the tokens that they already had`() async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let apiToken = try await registry.apiToken()
    let session = try await registry.signIn("ann", isKept: true)
    registry.pass(minutes: 6)
    let second = try #require(await registry.ask(apiToken, session.webToken).webToken)
    try await registry.accounts.renewSecrets()
    #expect(await registry.ask(apiToken, session.webToken).webToken == second)
    #expect(await registry.ask(apiToken, second).caller != nil)
    registry.pass(minutes: 6)
    let third = try #require(await registry.ask(apiToken, second).webToken)
    #expect(third != second)
    #expect(await registry.ask(apiToken, third).caller != nil)
  }

  @Test(arguments: [true, false])
  func `No session is lost, however late a client returns`(atOnce: Bool) async throws {
    let registry = try await Registry()
    try await registry.add("ann")
    let apiToken = try await registry.apiToken()
    let session = try await registry.signIn("ann", isKept: true)
    registry.pass(minutes: 6)
    let lost = try #require(await registry.ask(apiToken, session.webToken).webToken)
    try await registry.accounts.renewSecrets(atOnce: atOnce)
    registry.pass(minutes: 3 * Self.day)
    // The answer with the successor was lost, and so is the secret that made it.
    let next = try #require(await registry.ask(apiToken, session.webToken).webToken)
    #expect(next != lost)
    #expect(await registry.ask(apiToken, next).caller != nil)
    #expect(await registry.ask(apiToken, lost).code == .authenticationFailed)
  }

  @Test func `Users keep their names`() async throws {
    let registry = try await Registry()
    let account = try await registry.add("ann")
    let name = registry.accounts.userRecordName(of: account, in: "iCloud.test")
    try await registry.accounts.renewSecrets(atOnce: true)
    #expect(registry.accounts.userRecordName(of: account, in: "iCloud.test") == name)
    let again = try await Registry(engine: registry.engine, on: registry.cloud)
    #expect(again.accounts.userRecordName(of: account, in: "iCloud.test") == name)
  }

  @Test func `Forms are accepted for a day, or not at all`() async throws {
    let registry = try await Registry()
    let code = registry.accounts.formCode(for: "cookie")
    try await registry.accounts.renewSecrets()
    #expect(registry.accounts.formCode(for: "cookie") != code)
    #expect(
      registry.accounts.isFormCode(code, for: "cookie")
        && !registry.accounts.isFormCode(code, for: "other"))
    registry.pass(minutes: Self.day)
    #expect(!registry.accounts.isFormCode(code, for: "cookie"))
    let later = registry.accounts.formCode(for: "cookie")
    try await registry.accounts.renewSecrets(atOnce: true)
    #expect(!registry.accounts.isFormCode(later, for: "cookie"))
  }

  @Test func `Other processes learn of renewed secrets in their maintenance`() async throws {
    let registry = try await Registry()
    let other = try await Registry(engine: registry.engine, on: registry.cloud)
    try await registry.accounts.renewSecrets(atOnce: true)
    let code = registry.accounts.formCode(for: "cookie")
    #expect(!other.accounts.isFormCode(code, for: "cookie"))
    try await other.accounts.runMaintenance()
    #expect(other.accounts.isFormCode(code, for: "cookie"))
  }

  @Test(arguments: [true, false])
  func `File URLs are accepted for a day, or ended`(atOnce: Bool) async throws {
    let engine = MemoryStorageEngine()
    let clock = ManualClock()
    let environment = ServerEnvironment(now: { clock.now }, makeName: { "0" })
    let tickets = try await AssetTickets.open(engine, environment: environment)
    let server = RecordServer(
      engine: engine, environment: environment, addresses: tickets, receipts: tickets,
      sealer: ValueSealer(nil))
    let accounts = try await Accounts.open(server, settings: Registry.settings)
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
    let again = try await AssetTickets.open(engine, environment: environment)
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
