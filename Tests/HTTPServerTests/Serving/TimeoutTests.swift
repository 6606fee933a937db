import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Slow clients", .blockingThreads)
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

  @Test
  func `A client that stays after the last response is dropped`() async throws {
    try await withServer {
      $0.timeouts.linger = .milliseconds(50)
    } handler: { _ in
      HTTPResponse()
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("nonsense\r\n")
      #expect(try client.response().status == 400)
      #expect(client.isAtEnd())
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
