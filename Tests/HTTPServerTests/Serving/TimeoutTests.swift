import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Slow clients", .blockingThreads, .endsAtAll)
struct TimeoutTests {
  @Test
  func `A slow head is answered with a timeout`() async throws {
    try await withServer {
      $0.timeouts.head = .milliseconds(100)
    } handler: { _ in
      HTTPResponse()
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
      #expect(try client.response().status == 408)
      client.finish()
      #expect(client.isAtEnd())
    }
  }

  @Test
  func `A connection without a request is closed in time, whether new or used`() async throws {
    try await withServer {
      $0.timeouts.idle = .seconds(2)
    } handler: { _ in
      HTTPResponse()
    } _: { _, address in
      let new = try RawClient(address)
      let used = try RawClient(address)
      try used.send(get("/"))
      #expect(try used.response().status == 200)
      #expect(new.isAtEnd())
      #expect(used.isAtEnd())
    }
  }

  @Test
  func `A slow body fails, and a request that waits for its answer does not`() async throws {
    try await withServer {
      $0.timeouts.pacePeriod = .milliseconds(50)
    } handler: { request in
      if request.path == "/wait" { await passTime(milliseconds: 300) }
      _ = try await request.collect(limit: 100)
      return HTTPResponse()
    } _: { _, address in
      let slow = try RawClient(address)
      try slow.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
      #expect(try slow.response().status == 408)
      let patient = try RawClient(address)
      try patient.send(get("/wait"))
      #expect(try patient.response().status == 200)
    }
  }

  @Test
  func `A client that reads nothing of its response is disconnected`()
    async throws
  {
    let hasEnded = Signal()
    try await withServer {
      $0.timeouts.pacePeriod = .milliseconds(100)
    } handler: { _ in
      HTTPResponse(
        body: .parts(length: nil) { writer in
          defer { hasEnded.happen() }
          while true { try await writer.write([UInt8](repeating: 0, count: 100_000)) }
        })
    } _: { server, address in
      let client = try RawClient(address)
      try client.send(get("/"))
      await hasEnded.wait()
      #expect(throws: RawClient.Failure.self) { while try client.take(1000).count == 1000 {} }
    }
  }

  /// A memory that becomes short with the fourth check of its client's rate.
  private func memory(counting checks: Counter, _ freed: @escaping @Sendable () -> Void = {})
    -> ObservedMemory
  {
    ObservedMemory(freed, isShort: { checks.next() > 3 })
  }

  @Test
  func `A body must arrive faster while its memory is short`() async throws {
    let checks = Counter()
    let memory = memory(counting: checks)
    try await withServer {
      $0.timeouts.pacePeriod = .milliseconds(50)
      ($0.timeouts.minimalBytesPerPeriod, $0.timeouts.minimalBytesPerPeriodInShortage) = (0, 1)
    } handler: { request in
      _ = try await request.body.collect(limit: 100, into: memory)
      return HTTPResponse()
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
      #expect(try client.response().status == 408)
      #expect(checks.count == 4)
    }
  }

  @Test
  func `A response must be read faster while its memory is short`() async throws {
    let (checks, isFreed) = (Counter(), Signal())
    try await withServer {
      $0.timeouts.pacePeriod = .milliseconds(50)
      $0.timeouts.minimalBytesPerPeriod = 0
      $0.timeouts.minimalBytesPerPeriodInShortage = .max
    } handler: { _ in
      var response = HTTPResponse(body: .bytes([UInt8](repeating: 5, count: 20_000_000)))
      response.retained = memory(counting: checks) { isFreed.happen() }
      return response
    } _: { _, address in
      let client = try RawClient(address, receiveBuffer: 64 << 10)
      try client.send(get("/"))
      await isFreed.wait()
      #expect(checks.count == 4)
      #expect(throws: RawClient.Failure.self) { try client.response() }
    }
  }

  @Test
  func `A client that reads too little for the system to report it is not slow`() async throws {
    // The client reads only when a check begins. A piece is more than its own buffer holds, so that
    // the server's gets space, but less than a third of the server's: only a write detects it.
    let (length, piece) = (10_000_000, 512 << 10)
    let reader = Mutex<RawClient?>(nil)
    let (bytesRead, isWritten) = (Counter(), Signal())
    try await withServer {
      $0.timeouts.pacePeriod = .milliseconds(50)
      $0.timeouts.minimalBytesPerPeriod = 1
    } handler: { _ in
      var response = HTTPResponse(body: .bytes([UInt8](repeating: 5, count: length)))
      response.retained = ObservedMemory(
        { isWritten.happen() },
        isShort: {
          bytesRead.add(reader.withLock { (try? $0?.take(piece).count) ?? 0 })
          return false
        })
      return response
    } _: { _, address in
      try reader.withLock {
        $0 = try RawClient(address, receiveBuffer: 64 << 10)
        try $0?.send(get("/", "Connection: close\r\n"))
      }
      await isWritten.wait()
      let rest = try reader.withLock { try $0?.rest().count ?? 0 }
      #expect(bytesRead.count > 0)
      #expect(bytesRead.count + rest > length)
    }
  }

  @Test
  func `A client that stays after the last response is disconnected`() async throws {
    try await withServer {
      $0.timeouts.linger = .milliseconds(50)
    } handler: { _ in
      HTTPResponse()
    } _: { server, address in
      let client = try RawClient(address)
      try client.send("nonsense\r\n")
      #expect(try client.response().status == 400)
      #expect(client.isAtEnd())
      try await yields(while: server.connectionCount > 0)
      withExtendedLifetime(client) {}
    }
  }

  @Test
  func `A download longer than the idle timeout is not idle`() async throws {
    try await withServer {
      $0.timeouts.idle = .seconds(2)
    } handler: { _ in
      HTTPResponse(body: .bytes([UInt8](repeating: 5, count: 20_000_000)))
    } _: { _, address in
      let client = try RawClient(address, receiveBuffer: 16 << 10)
      try client.send(get("/"))
      await passTime(milliseconds: 2_500)
      #expect(try client.response().body.count == 20_000_000)
    }
  }
}

/// A number that handlers and tests share.
private final class Counter: Sendable {
  private let total = Mutex(0)

  var count: Int { total.withLock { $0 } }
  func add(_ number: Int) { total.withLock { $0 += number } }

  /// Counts one more, and returns the new number.
  func next() -> Int {
    total.withLock { total in
      total += 1
      return total
    }
  }
}
