import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// Devices without a valid session get no notifications.
@Suite(.endsAtAll) struct `Devices of ended sessions` {
  /// The ways in which a session ends.
  enum Ending: String, CaseIterable, CustomTestStringConvertible {
    case signOut, signOutEverywhere, endedByOperator, allEndedByOperator, disabled, removed,
      passwordSet,
      passwordChanged, expired

    var testDescription: String { rawValue }
  }

  private static let name = "ann@example.com"

  /// A server with its hub, and a signed-in user who listens.
  private struct Scene {
    let engine = MemoryStorageEngine()
    let push: PushCloud
    let accountServer: AccountServer
    let session: StartedSession
    let ann: Client
    let phone: String

    init() async throws {
      push = PushCloud(engine: engine)
      accountServer = try await AccountServer(engine: engine, on: push.cloud)
      try await accountServer.add(name)
      session = try await accountServer.signIn(name)
      var ann = try await push.cloud.user(session.userRecordName)
      ann.session = session.identifier
      self.ann = ann
      try await ann.makeZone("Z")
      _ = try await ann.subscribe(#""subscriptionID":"s","subscriptionType":"database""#)
      phone = try await ann.device("phone")
    }

    /// The number of notifications that a device gets of a change made now.
    func notificationCount(for token: String) async throws -> Int {
      let note = #""recordName":"n","recordType":"Note","fields":{}"#
      let reply = try await ann.modify(zone: "Z", ("forceUpdate", note))
      #expect(reply.records.first?.hasPrefix("n@") == true, "\(reply)")
      return try await push.notifications(for: token).count
    }

    /// Ends the session of the device.
    ///
    /// - Parameter accounts: The accounts of the server or of another process.
    func end(_ ending: Ending, by accounts: Accounts) async throws {
      let account = try await accounts.account(named: name)
      switch ending {
      case .signOut: try await accounts.signOut(webToken: session.webToken)
      case .signOutEverywhere:
        try await accounts.signOutEverywhere(
          name: name, password: AccountServer.password, from: nil)
      case .endedByOperator: try await accounts.endSession(session.identifier, of: account)
      case .allEndedByOperator: try await accounts.endSessions(of: account)
      case .disabled: try await accounts.disable(accountNamed: name)
      case .removed: try await accounts.remove(accountNamed: name)
      case .passwordSet:
        try await accounts.setPassword(ofAccount: name, to: "another horse battery")
      case .passwordChanged:
        try await accounts.changePassword(
          ofAccount: name, from: AccountServer.password, to: "another horse battery", address: nil)
      case .expired:
        accountServer.pass(minutes: 60 * 24 * 100)
        try await accountServer.accounts.runMaintenance()
      }
    }
  }

  @Test(arguments: Ending.allCases)
  func `The session's devices stop waiting and get no more notifications`(ending: Ending)
    async throws
  {
    let scene = try await Scene()
    let hub = scene.push.hub
    #expect(try await scene.notificationCount(for: scene.phone) == 1)
    async let waiting = hub.wait(for: scene.phone)
    try await scene.push.waitForWaiters(1)
    try await scene.end(ending, by: scene.accountServer.accounts)
    // A wait that was not ended becomes quiet.
    for _ in 0..<2 { hub.endRound() }
    #expect(await waiting == .ended)
    #expect(try await scene.notificationCount(for: scene.phone) == 0)
  }

  @Test(arguments: Ending.allCases.filter { $0 != .expired })
  func `Devices get no notifications soon after another process ended the session`(ending: Ending)
    async throws
  {
    let scene = try await Scene()
    #expect(try await scene.notificationCount(for: scene.phone) == 1)
    let other = try await AccountServer(engine: scene.engine, on: Cloud(engine: scene.engine))
    try await scene.end(ending, by: other.accounts)
    scene.push.cloud.pass(seconds: 10)
    #expect(try await scene.notificationCount(for: scene.phone) == 0)
  }

  @Test func `Pending notifications are dropped, and other sessions keep theirs`() async throws {
    let scene = try await Scene()
    var laptop = scene.ann
    laptop.session = try await scene.accountServer.signIn(Self.name).identifier
    let token = try await laptop.device("laptop")
    #expect(try await scene.notificationCount(for: token) == 1)
    #expect(scene.push.hub.queueLength(of: scene.phone) == 1)
    try await scene.end(.signOut, by: scene.accountServer.accounts)
    #expect(scene.push.hub.queueLength(of: scene.phone) == 0)
    #expect(try await scene.notificationCount(for: token) == 1)
    #expect(try await laptop.device("laptop") == token)
    #expect(try await laptop.device("phone") != scene.phone)
  }

  @Test func `A device belongs to the session that registered it last`() async throws {
    let scene = try await Scene()
    var again = scene.ann
    again.session = try await scene.accountServer.signIn(Self.name).identifier
    #expect(try await again.device("phone") == scene.phone)
    try await scene.end(.signOut, by: scene.accountServer.accounts)
    #expect(try await scene.notificationCount(for: scene.phone) == 1)
  }

  @Test func `A cached session registers no device`() async throws {
    let scene = try await Scene()
    let account = try await scene.accountServer.accounts.account(named: Self.name)
    try await scene.accountServer.accounts.endSessions(of: account)
    #expect(
      try await refusal { _ = try await scene.ann.device("phone") }?.code == .authenticationFailed)
    let request = TokensRegisterRequest(token: "YWJj", clientIdentifier: "phone")
    let refused = try await refusal {
      _ = try await scene.push.cloud.server.registerPushToken(request, scene.ann.call(.private))
    }
    #expect(refused?.code == .authenticationFailed)
  }

  @Test func `A device without a stored session is removed with any session`() async throws {
    let scene = try await Scene()
    let listeners = try await scene.engine.read { try $0.entries(in: .all) }.filter {
      String(decoding: $0.key.bytes, as: UTF8.self).hasPrefix("_listeners\0")
    }
    #expect(!listeners.isEmpty)
    try await scene.engine.write { transaction in
      for entry in listeners { try transaction.remove(entry.key) }
    }
    #expect(try await scene.notificationCount(for: scene.phone) == 1)
    try await scene.end(.signOut, by: scene.accountServer.accounts)
    #expect(try await scene.notificationCount(for: scene.phone) == 0)
  }

  @Test func `The subscriptions of a removed account are deleted`() async throws {
    let scene = try await Scene()
    func subscriptions() async throws -> Int {
      var count = 0
      for scope in DatabaseScope.allCases {
        count += try await scene.ann.ask(scope, .subscriptionsList)["subscriptions"].list.count
      }
      return count
    }
    for scope in [DatabaseScope.public, .shared] {
      let kind =
        scope == .public
        ? #""query","query":{"recordType":"Note"},"firesOn":["create"]"# : #""database""#
      _ = try await scene.ann.subscribe(
        in: scope, #""subscriptionID":"s","subscriptionType":\#(kind)"#)
    }
    #expect(try await subscriptions() >= 2)
    try await scene.end(.removed, by: scene.accountServer.accounts)
    #expect(try await subscriptions() == 0)
  }
}
