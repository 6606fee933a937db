import CloudKitTesting
import CloudTransport
import Foundation
import Simulation
import Testing

@Suite("What requests of simulated devices meet")
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

  @Test func `Without a fault files and streams come`() async throws {
    #expect(try await download().isSuccess)
    #expect(try await transport.open(health).head.isSuccess)
  }

  @Test func `Of what is late its device hears nothing`() async throws {
    network.inject([.late, .late])
    await #expect(throws: TransportError.self) { try await download() }
    await #expect(throws: TransportError.self) { _ = try await transport.open(health) }
  }

  @Test func `Who asks too often is told so, and for how long`() async throws {
    network.inject([.throttled, .throttled])
    let answers = [try await download(), try await transport.open(health).head]
    #expect(answers.map(\.status) == [429, 429])
    #expect(answers.allSatisfy { $0["Retry-After"] == "60" })
  }

  @Test func `What is only read needs no room`() async throws {
    network.inject([.quota, .quota])
    #expect(try await download().isSuccess)
    #expect(try await transport.open(health).head.isSuccess)
  }

  @Test func `Files of records need room as records do`() async throws {
    let body = TransportRequest.Body.file(path: path)
    let upload = TransportRequest(.post, "\(health.address)/upload", body: body)
    network.inject([.quota])
    #expect(try await transport.send(upload).status == 413)
    network.inject([.quota])
    #expect(try await transport.send(health).isSuccess)
  }
}
