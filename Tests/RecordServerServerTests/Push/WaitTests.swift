import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// The duration and the end of devices' waits.
@Suite(.endsAtAll) struct WaitTests {
  @Test func `A round ends the waits that began before the last one`() async throws {
    let push = PushCloud()
    let hub = push.hub
    async let first = hub.wait(for: "a")
    try await push.waitForWaiters(1)
    hub.endRound()
    #expect(hub.waiterCount == 1)
    async let second = hub.wait(for: "b")
    try await push.waitForWaiters(2)
    hub.endRound()
    #expect(await first == .quiet)
    #expect(hub.waiterCount == 1)
    hub.endRound()
    #expect(await second == .quiet)
    #expect(hub.waiterCount == 0)
  }

  @Test func `A waiting device does not notice rounds`() async throws {
    let push = PushCloud()
    let hub = push.hub
    let waiting = Task { await hub.next(for: "a") }
    for _ in 0..<3 {
      try await push.waitForWaiters(1)
      hub.endRound()
    }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test func `A closed hub ends all current and later waits`() async throws {
    let push = PushCloud()
    let hub = push.hub
    async let first = hub.wait(for: "a")
    async let second = hub.wait(for: "b")
    try await push.waitForWaiters(2)
    hub.close()
    #expect(await first == .ended)
    #expect(await second == .ended)
    #expect(await hub.wait(for: "a") == .ended)
  }

  @Test func `A device that is removed between its check and its wait is checked again`()
    async throws
  {
    let push = PushCloud()
    let (server, ada) = (push.cloud.server, try await push.cloud.user("_ada"))
    let token = try await ada.device("phone")
    let removals = push.hub.removals
    try await server.checkListener(by: token)
    push.cloud.pass(seconds: 181 * 86_400)
    try await server.runMaintenance()
    #expect(await push.hub.wait(for: token, since: removals) == .unchecked)
    #expect(push.hub.waiterCount == 0)
    let other = try await ada.device("tablet")
    async let waiting = push.hub.wait(for: other, since: push.hub.removals)
    try await push.waitForWaiters(1)
    push.hub.close()
    #expect(await waiting == .ended)
  }

  @Test func `A device that waits again is kept, and a forgotten one gets an error`() async throws {
    let push = PushCloud()
    let (server, ada) = (push.cloud.server, try await push.cloud.user("_ada"))
    let token = try await ada.device("phone")
    for _ in 0..<5 {
      push.cloud.pass(seconds: 100 * 86_400)
      try await server.checkListener(by: token)
      try await server.runMaintenance()
    }
    async let waiting = push.hub.wait(for: token)
    try await push.waitForWaiters(1)
    push.cloud.pass(seconds: 181 * 86_400)
    try await server.runMaintenance()
    for _ in 0..<2 { push.hub.endRound() }
    #expect(await waiting == .ended)
    #expect(
      try await refusal { try await server.checkListener(by: token) }?.code == .authenticationFailed
    )
    let next = try await ada.device("phone")
    #expect(next != token)
    try await server.checkListener(by: next)
  }

  @Test func `A token is valid until all users who registered it have replaced it`() async throws {
    let push = PushCloud()
    let server = push.cloud.server
    #expect(
      try await refusal { try await server.checkListener(by: "YWJj") }?.code
        == .authenticationFailed)
    for name in ["_ada", "_bob"] {
      let user = try await push.cloud.user(name)
      let request = TokensRegisterRequest(token: "YWJj", clientIdentifier: "phone")
      _ = try await server.registerPushToken(request, user.call(.private))
    }
    try await server.checkListener(by: "YWJj")
    let ada = try await push.cloud.user("_ada")
    let other = TokensRegisterRequest(token: "ZGVm", clientIdentifier: "phone")
    _ = try await server.registerPushToken(other, ada.call(.private))
    for token in ["YWJj", "ZGVm"] { try await server.checkListener(by: token) }
    let bob = try await push.cloud.user("_bob")
    _ = try await server.registerPushToken(other, bob.call(.private))
    #expect(
      try await refusal { try await server.checkListener(by: "YWJj") }?.code
        == .authenticationFailed)
  }

  @Test func `Registering a token again writes its device once a day`() async throws {
    let engine = MemoryStorageEngine()
    let push = PushCloud(engine: engine)
    let (ada, server) = (try await push.cloud.user("_ada"), push.cloud.server)
    func stored() async throws -> [[UInt8]] {
      try await engine.read(in: nil) { transaction in
        try transaction.entries(
          in: StorageRange(from: StorageKey(partition: "", keyspace: 0), to: nil)
        ).flatMap { [$0.key.bytes, $0.value] }
      }
    }
    func register() async throws -> [[UInt8]] {
      let request = TokensRegisterRequest(token: "YWJj", clientIdentifier: "phone")
      _ = try await server.registerPushToken(request, ada.call(.private))
      return try await stored()
    }
    let first = try await register()
    push.cloud.pass(seconds: 3600)
    #expect(try await register() == first)
    push.cloud.pass(seconds: 86_400)
    #expect(try await register() != first)
  }

  @Test func `A client finds its own token and no other`() async throws {
    let push = PushCloud()
    let (ada, bob) = (try await push.cloud.user("_ada"), try await push.cloud.user("_bob"))
    let token = try await ada.device("phone")
    let server = push.cloud.server
    #expect(try await server.deviceToken(ofClient: "phone", ada.call(.private)) == token)
    #expect(try await server.deviceToken(ofClient: "laptop", ada.call(.private)) == nil)
    #expect(try await server.deviceToken(ofClient: "phone", bob.call(.private)) == nil)
    let anonymous = try await push.cloud.client(.anonymous)
    #expect(try await server.deviceToken(ofClient: "phone", anonymous.call(.public)) == nil)
  }
}
