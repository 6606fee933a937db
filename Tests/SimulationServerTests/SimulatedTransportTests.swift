import CloudKitTesting
import CloudTransport
import Foundation
import Simulation
import Testing

@Suite("Requests of simulated devices")
struct SimulatedTransportTests {
  private let network = SimulatedNetwork { _ in }
  private let transport: SimulatedTransport
  private let health: TransportRequest
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "file-\(UUID().uuidString)"
  ).path

  init() async throws {
    let server = try await SimulatedServer(chance: SharedRandomness(seed: 1))
    let device = try await server.cloud.signIn("ada")
    transport = SimulatedTransport(device, network: network, server: server)
    health = TransportRequest(.get, "\(server.cloud.address)/health")
  }

  private func download() async throws(TransportError) -> TransportResponse {
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await transport.download(health, to: path) { _, _ in }
  }

  @Test func `Without an injected fault, files and streams arrive`() async throws {
    #expect(try await download().isSuccess)
    #expect(try await transport.open(health).head.isSuccess)
  }

  @Test func `A device does not see a delayed response`() async throws {
    network.inject([.late, .late])
    await #expect(throws: TransportError.self) { try await download() }
    await #expect(throws: TransportError.self) { _ = try await transport.open(health) }
  }

  @Test func `A device that sends too often is throttled with a delay`() async throws {
    network.inject([.throttled, .throttled])
    let answers = [try await download(), try await transport.open(health).head]
    #expect(answers.map(\.status) == [429, 429])
    #expect(answers.allSatisfy { $0["Retry-After"] == "60" })
  }

  @Test func `Read requests need no quota`() async throws {
    network.inject([.quota, .quota])
    #expect(try await download().isSuccess)
    #expect(try await transport.open(health).head.isSuccess)
  }

  @Test func `Assets need quota like records`() async throws {
    let body = TransportRequest.Body.file(path: path)
    let upload = TransportRequest(.post, "\(health.address)/upload", body: body)
    network.inject([.quota])
    #expect(try await transport.send(upload).status == 413)
    network.inject([.quota])
    #expect(try await transport.send(health).isSuccess)
  }
}
