import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Response bodies", .blockingThreads, .endsAtAll, .serialized)
struct DownloadTests {
  @Test
  func `Parts of known and unknown length arrive whole`() async throws {
    try await withServer { request in
      HTTPResponse(
        body: .parts(length: request.path == "/known" ? 30 : nil) { writer in
          for number in 0..<10 { try await writer.write(Array("\(number)..".utf8)) }
        })
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/known") + get("/unknown"))
      let known = try client.response()
      let unknown = try client.response()
      #expect(known.text == "0..1..2..3..4..5..6..7..8..9..")
      #expect(known.fields["content-length"] == "30")
      #expect(unknown.text == known.text)
      #expect(unknown.fields["transfer-encoding"] == "chunked")
      try client.send("GET /unknown HTTP/1.0\r\n\r\n")
      #expect(try client.response().text == known.text)
      #expect(client.isAtEnd())
    }
  }

  @Test
  func `A part is sent before the next one is made`() async throws {
    let mayGoOn = Signal()
    try await withServer { _ in
      HTTPResponse(
        body: .parts(length: nil) { writer in
          try await writer.write([1])
          await mayGoOn.wait()
          try await writer.write([2])
        })
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/"))
      #expect(try client.head().status == 200)
      #expect(try client.chunk() == [1])
      mayGoOn.happen()
      #expect(try client.chunk() == [2])
      #expect(try client.chunk() == nil)
    }
  }

  @Test
  func `A handler waits for a client that reads slowly`() async throws {
    let written = Mutex(0)
    let piece = [UInt8](repeating: 3, count: 100_000)
    try await withServer { _ in
      HTTPResponse(
        body: .parts(length: 40_000_000) { writer in
          for _ in 0..<400 {
            try await writer.write(piece)
            written.withLock { $0 += piece.count }
          }
        })
    } _: { _, address in
      let client = try RawClient(address, receiveBuffer: 64 << 10)
      try client.send(get("/"))
      _ = try client.head()
      for read in 1...40 {
        #expect(try client.take(1_000_000).last == 3)
        #expect(written.withLock { $0 } < read * 1_000_000 + 12_000_000)
      }
    }
  }

  @Test
  func `A response that fails after its head is aborted, not ended`() async throws {
    let events = Mutex(0)
    try await withServer {
      $0.onEvent = { if case .responseFailed = $0 { events.withLock { $0 += 1 } } }
    } handler: { request in
      HTTPResponse(
        body: .parts(length: request.path == "/short" ? 10 : nil) { writer in
          try await writer.write([1])
          if request.path == "/throws" { throw HTTPFailure(.conflict, "too late") }
        })
    } _: { _, address in
      for path in ["/throws", "/short"] {
        let client = try RawClient(address)
        try client.send(get(path))
        #expect(throws: RawClient.Failure.self) { try client.response() }
      }
      #expect(events.withLock { $0 } == 1)
    }
  }

  @Test
  func `A writer that outlives its response writes nothing`() async throws {
    let kept = Mutex<HTTPResponseWriter?>(nil)
    try await withServer { request in
      HTTPResponse(
        body: .parts(length: nil) { writer in
          kept.withLock { $0 = $0 ?? writer }
          try await writer.write(Array(request.path.utf8))
        })
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/one"))
      #expect(try client.response().text == "/one")
      try client.send(get("/two"))
      #expect(try client.response().text == "/two")
      let writer = try #require(kept.withLock { $0 })
      await #expect(throws: HTTPWriteError.clientLeft) { try await writer.write([1]) }
    }
  }

  @Test
  func `Files and parts of files are sent`() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await withServer { request in
      let file = try HTTPFile(path: url.path)
      switch request.path {
      case "/part":
        return HTTPResponse(
          .partialContent, body: .file(try HTTPFile(1_000_000..<1_000_010, of: file)))
      case "/framed":
        return HTTPResponse(
          body: .parts(length: nil) { writer in
            try await writer.write([9])
            try await writer.write(file)
            try await writer.write([8])
          })
      default: return HTTPResponse(body: .file(file))
      }
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(
        get("/") + get("/part") + get("/framed") + "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
          + get("/part"))
      #expect(try client.response().body == bytes)
      #expect(try client.response().body == Array(bytes[1_000_000..<1_000_010]))
      #expect(try client.response().body == [9] + bytes + [8])
      #expect(try client.response(hasBody: false).fields["content-length"] == "3000000")
      #expect(try client.response().body.count == 10)
    }
    #expect(throws: HTTPServerError.self) { try HTTPFile(path: url.path + "-missing") }
  }

  @Test
  func `A file that shrinks aborts the response`() async throws {
    try await withTemporaryFile(count: 100_000) { path in
      try await withServer { _ in
        let file = try HTTPFile(path: path)
        truncate(path, 10)
        return HTTPResponse(body: .file(file))
      } _: { _, address in
        let client = try RawClient(address)
        try client.send(get("/"))
        #expect(throws: RawClient.Failure.self) { try client.response() }
      }
    }
  }

  @Test
  func `A response's retained values live exactly until its last byte is written`()
    async throws
  {
    let (first, second) = (Signal(), Signal())
    let areFreed = Mutex((false, false))
    try await withServer { request in
      let isFirst = request.path == "/first"
      var response = HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 20_000_000)))
      response.retained = ObservedMemory {
        areFreed.withLock { if isFirst { $0.0 = true } else { $0.1 = true } }
        (isFirst ? first : second).happen()
      }
      return response
    } _: { _, address in
      let client = try RawClient(address, receiveBuffer: 64 << 10)
      try client.send(get("/first") + get("/second"))
      #expect(try client.head().status == 200)
      #expect(areFreed.withLock { !$0.0 })
      _ = try client.take(20_000_000)
      #expect(try client.head().status == 200)
      await first.wait()
      #expect(areFreed.withLock { !$0.1 }, "the next answer waits for the client")
      _ = try client.take(20_000_000)
      await second.wait()
    }
  }

  @Test
  func `Large answers to a client that does not read do not accumulate`() async throws {
    let answered = Mutex(0)
    try await withServer { _ in
      answered.withLock { $0 += 1 }
      return HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 1 << 20)))
    } _: { _, address in
      let client = try RawClient(address, receiveBuffer: 64 << 10)
      try client.send(String(repeating: get("/"), count: 500))
      for read in 1...20 {
        #expect(try client.response().body.count == 1 << 20)
        #expect(answered.withLock { $0 } < read + 20)
      }
    }
  }
}

/// Memory that calls a closure when it is freed.
///
/// Another closure answers whether the memory is short.
final class ObservedMemory: BudgetedMemory {
  private let body: @Sendable () -> Void
  private let shortage: @Sendable () -> Bool

  init(
    _ body: @escaping @Sendable () -> Void,
    isShort shortage: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.body, self.shortage) = (body, shortage)
  }

  deinit { body() }

  func grow(by more: Int) {}
  var isShort: Bool { shortage() }
}

/// Calls a closure with a new file of a length.
func withTemporaryFile(count: Int, _ body: (String) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "parhelion-\(UUID().uuidString)")
  try Data(repeating: 1, count: count).write(to: url)
  defer { try? FileManager.default.removeItem(at: url) }
  try await body(url.path)
}
