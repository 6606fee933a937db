import Dispatch
import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Connection limits", .blockingThreads, .endsAtAll)
struct ConnectionLimitTests {
  @Test
  func `A counter distinguishes IPv4 addresses and IPv6 networks`() throws {
    var counter = ConnectionCounter(maximum: 5, maximumPerNetwork: 2)
    let addresses = try ["10.0.0.1", "10.0.0.2", "2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1"]
      .map {
        try #require(SocketAddress($0, port: 1))
      }
    for address in addresses {
      let isAdmitted = counter.admit(address)
      #expect(isAdmitted)
    }
    let sixth = counter.admit(addresses[0])
    #expect(!sixth)
    counter.release(addresses[1])
    let thirdOfNetwork = counter.admit(addresses[2])
    #expect(!thirdOfNetwork)
    counter.release(addresses[3])
    let secondOfNetwork = counter.admit(addresses[2])
    #expect(secondOfNetwork)
    #expect(counter.total == 4)
  }

  @Test func `A client beyond the limit gets an error even after sending its request`() async throws
  {
    let (isHeld, proceed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await withServer {
      ($0.maximumConnections, $0.loops) = (1, 1)
    } handler: { _ in
      // No connection is accepted while the only loop is blocked.
      isHeld.signal()
      block(on: proceed)
      return HTTPResponse()
    } _: { _, address in
      let first = try RawClient(address)
      try first.send(get("/"))
      block(on: isHeld)
      let second = try RawClient(address)
      try second.send(post("/", String(repeating: "x", count: 1_000)))
      proceed.signal()
      #expect(try second.response().status == 503)
      #expect(try second.rest() == [], "no reset, after which other systems discard the answer")
      #expect(try first.response().status == 200)
    }
  }

  @Test(arguments: [true, false])
  func `A client beyond the limit gets an error`(isTotal: Bool) async throws {
    let refused = Mutex(0)
    try await withServer {
      if isTotal { $0.maximumConnections = 2 } else { $0.maximumConnectionsPerAddress = 2 }
      $0.onEvent = {
        if case .rejected(let refusal, _) = $0, refusal.reason == .tooManyConnections {
          refused.withLock { $0 += 1 }
        }
      }
    } handler: { _ in
      HTTPResponse()
    } _: { _, address in
      let first = try RawClient(address)
      let second = try RawClient(address)
      for client in [first, second] {
        try client.send(get("/"))
        #expect(try client.response().status == 200)
      }
      let third = try RawClient(address)
      #expect(try third.response().status == 503)
      #expect(third.isAtEnd())
      #expect(refused.withLock { $0 } == 1)
      try first.send(get("/", "Connection: close\r\n"))
      #expect(try first.response().status == 200)
      #expect(first.isAtEnd())
      let fourth = try RawClient(address)
      try fourth.send(get("/"))
      #expect(try fourth.response().status == 200)
    }
  }

  @Test
  func `Without descriptors clients are rejected, and served again once some are free`() async {
    await #expect(processExitsWith: .success) {
      let events = Mutex(0)
      try await withServer {
        $0.onEvent = { if case .outOfDescriptors = $0 { events.withLock { $0 += 1 } } }
      } handler: { _ in
        HTTPResponse()
      } _: { _, address in
        var clients: [RawClient] = []
        for _ in 0..<5 { clients.append(try servedClient(address)) }
        leaveDescriptors(1)
        // It takes the last descriptor, so none is left for the server's side.
        let refused = try RawClient(address)
        let isRefused = refused.isAtEnd()
        precondition(isRefused && events.withLock { $0 } > 0)
        clients.removeLast(3)
        for _ in 0..<2 { clients.append(try servedClient(address)) }
      }
    }
  }
}

/// Blocks a thread.
private func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

/// A client that got an answer.
private func servedClient(_ address: SocketAddress) throws -> RawClient {
  let client = try RawClient(address)
  try client.send(get("/"))
  let status = try client.response().status
  precondition(status == 200)
  return client
}

/// Sets this process's limit of descriptors so that a number of them is free.
private func leaveDescriptors(_ count: Int32) {
  let next = dup(0)
  close(next)
  var limit = rlimit(rlim_cur: rlim_t(next + count), rlim_max: rlim_t(next + count))
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
