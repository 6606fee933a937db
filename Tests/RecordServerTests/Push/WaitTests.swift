import CloudRecords
import RecordServer
import Testing

/// How long devices wait, and how their waits end.
@Suite struct WaitTests {
  @Test func `A round ends the waits that began before the last one`() async throws {
    let desk = PushDesk()
    let hub = desk.hub
    async let first = hub.wait(for: "a")
    await desk.untilWaiting(1)
    hub.endRound()
    #expect(hub.waiterCount == 1)
    async let second = hub.wait(for: "b")
    await desk.untilWaiting(2)
    hub.endRound()
    #expect(await first == .quiet)
    #expect(hub.waiterCount == 1)
    hub.endRound()
    #expect(await second == .quiet)
    #expect(hub.waiterCount == 0)
  }

  @Test func `Who asks for the next notification does not see rounds`() async throws {
    let desk = PushDesk()
    let hub = desk.hub
    let waiting = Task { await hub.next(for: "a") }
    for _ in 0..<3 {
      await desk.untilWaiting(1)
      hub.endRound()
    }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test func `A hub that closes ends all waits, and those that follow`() async throws {
    let desk = PushDesk()
    let hub = desk.hub
    async let first = hub.wait(for: "a")
    async let second = hub.wait(for: "b")
    await desk.untilWaiting(2)
    hub.close()
    #expect(await first == .ended)
    #expect(await second == .ended)
    #expect(await hub.wait(for: "a") == .ended)
  }

  @Test func `A client finds the token that it made, and no other's`() async throws {
    let desk = PushDesk()
    let (ada, bob) = (try await desk.cloud.user("_ada"), try await desk.cloud.user("_bob"))
    let token = try await ada.device("phone")
    let server = desk.cloud.server
    #expect(try await server.deviceToken(ofClient: "phone", ada.call(.private)) == token)
    #expect(try await server.deviceToken(ofClient: "laptop", ada.call(.private)) == nil)
    #expect(try await server.deviceToken(ofClient: "phone", bob.call(.private)) == nil)
    let nobody = try await desk.cloud.client(.anonymous)
    #expect(try await server.deviceToken(ofClient: "phone", nobody.call(.public)) == nil)
  }
}
