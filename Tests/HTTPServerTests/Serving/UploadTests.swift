import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Request bodies", .blockingThreads, .endsAtAll, .serialized)
struct UploadTests {
  @Test
  func `A client whose handler does not read is paused, and continues when it does`() async throws {
    let mayRead = Signal()
    try await withServer { request in
      await mayRead.wait()
      var count = 0
      for try await piece in request.body { count += piece.count }
      return HTTPResponse(text: "\(count)")
    } _: { _, address in
      let client = try RawClient(address)
      let length = 100 << 20
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
      let piece = [UInt8](repeating: 7, count: 1 << 20)
      let sent = client.sendUntilBlocked(piece, atMost: length)
      #expect(sent < 32 << 20, "\(sent) bytes were accepted but not read")
      mayRead.happen()
      var rest = length - sent
      while rest > 0 {
        try client.send(Array(piece.prefix(rest)))
        rest -= min(rest, piece.count)
      }
      #expect(try client.response().text == "\(length)")
    }
  }

  @Test
  func `Chunks, single bytes and whole bodies arrive alike`() async throws {
    try await withServer { request in
      HTTPResponse(body: .bytes(try await request.collect(limit: 1000)))
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(post("/", "whole"))
      #expect(try client.response().text == "whole")
      for byte in post("/", "slow but sure").utf8 { try client.send([byte]) }
      #expect(try client.response().text == "slow but sure")
      let chunked =
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nT: u\r\n\r\n"
      try client.send(chunked)
      #expect(try client.response().text == "hello, world")
      for byte in chunked.utf8 { try client.send([byte]) }
      #expect(try client.response().text == "hello, world")
      try client.send(post("/", ""))
      #expect(try client.response().text == "")
    }
  }

  @Test
  func `A client that expects 100-continue gets it`() async throws {
    try await withServer { request in
      HTTPResponse(body: .bytes(try await request.collect(limit: 1000)))
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(try client.response().status == 100)
      try client.send("hello")
      #expect(try client.response().text == "hello")
      try client.send(
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
      let refused = try client.response()
      #expect(refused.status == 413)
      #expect(refused.fields["connection"] == "close")
      client.finish()
      #expect(client.isAtEnd())
    }
  }

  @Test
  func `An early answer reaches a client that still sends`() async throws {
    try await withServer { _ in
      HTTPResponse(.unauthorized, text: "no")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
      try client.send([UInt8](repeating: 1, count: 3_000_000))
      let response = try client.response()
      #expect(response.status == 401)
      #expect(response.fields["connection"] == "close")
      client.finish()
      #expect(client.isAtEnd())
    }
  }

  @Test
  func `A body is abandoned as soon as there is no memory for it`() async throws {
    try await withServer { request in
      let body = try await request.body.collect(limit: 20_000_000, into: LimitedMemory(3_000_000))
      return HTTPResponse(text: "\(body.count)")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
      try client.send([UInt8](repeating: 1, count: 3_000_000))
      #expect(try client.response().text == "3000000")
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 15000000\r\n\r\n")
      try client.send([UInt8](repeating: 1, count: 4_000_000))
      #expect(try client.response().status == 429, "the rest of the body was never sent")
    }
  }

  @Test
  func `A body with malformed framing fails in the handler that reads it`() async throws {
    let reached = Mutex<[String]>([])
    try await withServer { request in
      do {
        return HTTPResponse(body: .bytes(try await request.collect(limit: 1000)))
      } catch {
        reached.withLock { $0.append("\(error)") }
        throw error
      }
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0x1\r\n")
      #expect(try client.response().status == 400)
      client.finish()
      #expect(client.isAtEnd())
      #expect(reached.withLock { $0 } == ["malformedChunk"])
    }
  }
}

/// Memory for a number of bytes.
private final class LimitedMemory: BudgetedMemory {
  let isShort = false
  private let rest: Mutex<Int>

  init(_ bytes: Int) { rest = Mutex(bytes) }

  func grow(by more: Int) throws {
    let left = rest.withLock { rest in
      rest -= more
      return rest
    }
    if left < 0 { throw HTTPFailure(.tooManyRequests, "no room") }
  }
}
