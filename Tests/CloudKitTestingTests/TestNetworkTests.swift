import CloudKitTesting
import CloudTransport
import Foundation
import TestSupport
import Testing

@Suite("A device's test network", .endsAtAll)
struct TestNetworkTests {
  private static let create =
    #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"a","fields":{}}}]}"#
  private static let look = #"{"records":[{"recordName":"a"}]}"#

  private func withDevice(_ body: (TestCloud, TestDevice) async throws -> Void) async throws {
    let cloud = try await TestCloud()
    try await body(cloud, try await cloud.signIn("ada"))
    #expect(cloud.serverErrors == [])
    await cloud.end()
  }

  /// Whether the record has been saved.
  private func isThere(_ device: TestDevice) async throws -> Bool {
    try await !device.ask("private", "records/lookup", Self.look).text.contains("NOT_FOUND")
  }

  private static let kinds: [(TestNetwork.Fault, TransportError.Kind, Bool, Bool)] = [
    (.noNetwork, .offline, false, false), (.lostRequest, .broken, false, false),
    (.lostResponse, .broken, true, true),
    (.cutResponse(afterBytes: 5), .broken, true, true),
    (.wrongCertificate, .untrusted, false, false),
  ]

  @Test(arguments: kinds)
  func `The network fails a request once, with the injected fault`(
    fault: TestNetwork.Fault, kind: TransportError.Kind, mayHaveArrived: Bool, isDone: Bool
  ) async throws {
    try await withDevice { _, device in
      device.network.inject(fault)
      let reported = await #expect(throws: TransportError.self) {
        try await device.ask("private", "records/modify", Self.create)
      }
      #expect(reported?.kind == kind && reported?.mayHaveArrived == mayHaveArrived)
      let found = try await isThere(device)
      #expect(found == isDone)
      #expect(device.network.requestCount == 2)
    }
  }

  @Test func `The network can be on or off`() async throws {
    try await withDevice { _, device in
      device.network.isOnline = false
      for _ in 0..<3 {
        let fault = await #expect(throws: TransportError.self) { try await isThere(device) }
        #expect(fault?.kind == .offline)
      }
      device.network.isOnline = true
      let found = try await isThere(device)
      #expect(!found)
    }
  }

  @Test func `A delayed request does not arrive if the device goes offline meanwhile`()
    async throws
  {
    try await withDevice { cloud, device in
      device.network.inject(.delayedRequest(.seconds(10)))
      let delayed = Task { try await device.ask("private", "records/modify", Self.create) }
      await device.network.waitForHeldRequest()
      device.network.isOnline = false
      try await cloud.advance(by: .seconds(10))
      let fault = await #expect(throws: TransportError.self) { try await delayed.value }
      #expect(fault?.kind == .offline)
      device.network.isOnline = true
      let found = try await isThere(device)
      #expect(!found)
    }
  }

  @Test func `The network can answer itself, damage an answer, and repeat a request`() async throws
  {
    try await withDevice { _, device in
      device.network.inject(
        .captivePortal, .unavailable(retryAfterSeconds: 7), nil, nil, .damagedResponse,
        .repeatedRequest)
      let portal = try await device.ask("private", "records/modify", Self.create)
      #expect(portal.status == 200 && portal["content-type"]?.hasPrefix("text/html") == true)
      let busy = try await device.ask("private", "records/modify", Self.create)
      #expect(busy.status == 503 && busy["retry-after"] == "7")
      #expect(try await !isThere(device))
      let good = try await device.ask("private", "zones/list", "")
      #expect(good.status == 200)
      let damaged = try await device.ask("private", "zones/list", "")
      #expect(zip(damaged.body, good.body).filter { $0 != $1 }.count == 1)
      let twice = try await device.ask("private", "records/modify", Self.create)
      // The second of two equal creations meets the first.
      #expect(twice.text.contains("EXISTS"), "\(twice.text)")
      #expect(device.network.requestCount == 6)
    }
  }

  @Test func `The network delays a request by the cloud's clock and ends it at its timeout`()
    async throws
  {
    try await withDevice { cloud, device in
      device.network.inject(.delayedRequest(.seconds(10)))
      let delayed = Task { try await device.ask("private", "records/modify", Self.create) }
      try await yields(while: cloud.clock.waiterCount == 0)
      #expect(try await !isThere(device))
      try await cloud.advance(by: .seconds(9))
      #expect(cloud.clock.waiterCount == 1)
      try await cloud.advance(by: .seconds(1))
      #expect(try await delayed.value.status == 200)
      device.network.inject(.silence)
      let silent = Task { try await device.ask("private", "zones/list", "") }
      try await yields(while: cloud.clock.waiterCount == 0)
      try await cloud.advance(by: .seconds(60))
      let fault = await #expect(throws: TransportError.self) { try await silent.value }
      #expect(fault?.kind == .timedOut && fault?.mayHaveArrived == true)
      device.network.inject(.silence)
      let cancelled = Task { try await device.ask("private", "zones/list", "") }
      cancelled.cancel()
      await #expect(throws: TransportError.self) { try await cancelled.value }
    }
  }

  @Test func `Random failures are the same for the same seed`() async throws {
    try await withDevice { _, device in
      func outcomes(seed: UInt64) async throws -> [Bool] {
        device.network.injectAtRandom([.lostRequest, .noNetwork], probability: 0.5, seed: seed)
        var outcomes: [Bool] = []
        for _ in 0..<40 {
          outcomes.append((try? await device.ask("private", "zones/list", "")) != nil)
        }
        return outcomes
      }
      let first = try await outcomes(seed: 7)
      #expect(try await outcomes(seed: 7) == first)
      #expect(try await outcomes(seed: 8) != first)
      #expect(first.contains(true) && first.contains(false))
      device.network.heal()
      #expect(try await !isThere(device))
    }
  }

  @Test func `The network truncates and damages files, and truncated ones resume`() async throws {
    try await withTemporaryDirectory { folder in
      try await withDevice { cloud, device in
        let copy = folder.appendingPathComponent("copy").path
        let request = TransportRequest(.get, cloud.address + "/openapi.json")
        device.network.inject(
          .cutResponse(afterBytes: -1), .cutResponse(afterBytes: 100), .damagedResponse)
        for count in [0, 100] {
          await #expect(throws: TransportError.self) {
            try await device.transport.download(request, to: copy) { _, _ in }
          }
          #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).count == count)
        }
        _ = try await device.transport.download(request, to: copy) { _, _ in }
        let whole = try await device.transport.send(request).body
        let damaged = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy)))
        #expect(damaged.count == whole.count && zip(damaged, whole).filter { $0 != $1 }.count == 1)
      }
    }
  }
}
