import CloudRecords
import CloudWire
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

/// Measures its own process, in which no other test uses memory.
@Suite("Memory of listeners", .measuresMemory, .endsAtAll)
struct ListenerMemoryTests {
  @Test func `Five thousand waiting devices cost at most 12 KB each, and all are released`() async {
    await #expect(processExitsWith: .success) {
      try await onBlockingThreads { try await listen(count: connectionsThatFit(wanted: 5_000)) }
    }
  }
}

/// Makes many devices wait, and checks the memory of each, including its client in the same
/// process.
private func listen(count: Int) async throws {
  var devices: [WebClient] = []
  try await TestService.run {
    // No device stops waiting before all wait.
    $0.round = .seconds(86_400)
    $0.service.showsMetrics = true
    $0.service.log = { _ in }
  } _: { testService in
    let tokens = try await tokens(count, testService)
    let observer = try testService.client()
    _ = try waiting(observer)
    let before = try residentBytes()
    for token in tokens {
      let device = try testService.client()
      let fields = "User-Agent: A name of ordinary length\r\nAccept: */*\r\n"
      try device.raw.send("GET \(token) HTTP/1.1\r\nHost: cloud.example\r\n\(fields)\r\n")
      devices.append(device)
    }
    try await yields(while: try waiting(observer) < count)
    let bytes = (try residentBytes() - before) / count
    #expect(bytes <= 12 << 10, "each of \(count) devices costs \(bytes) bytes")
  }
  for device in devices { #expect(try device.raw.response().status == 200) }
}

/// The targets at which a number of devices wait, each of another user.
private func tokens(_ count: Int, _ testService: TestService) async throws -> [String] {
  let server = testService.server.service.server
  let realm = try #require(try await server.realm(of: TestService.container))
  var targets: [String] = []
  for number in 0..<count {
    let call = Call(
      container: TestService.container, realm: realm, scope: .private,
      caller: .user("_user\(number)"))
    let created = try await server.createPushToken(
      TokensCreateRequest(clientIdentifier: "phone"), call
    ) {
      Route.PushDelivery.wait.address(token: $0)
    }
    targets.append(created.webcourierURL)
  }
  return targets
}

/// The number of waiting devices in the server's metrics.
private func waiting(_ observer: WebClient) throws -> Int {
  let lines = try observer.get("/metrics").text.split(separator: "\n")
  let line = lines.first { $0.hasPrefix("parhelion_waiting_devices ") }
  return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
}
