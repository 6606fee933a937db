import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Requests over libcurl", .blockingThreads, .endsAtAll)
struct SendingTests {
  @Test func `A request sends method, fields and body and receives status, fields and body`()
    async throws
  {
    try await withTransport { request in
      let body = try await request.collect(limit: 1 << 20)
      let fields = request.headers.all.map { "\($0.name)=\($0.value)" }.sorted().joined(
        separator: "|")
      return HTTPResponse(
        .conflict, headers: ["X-Twice": "1", "x-twice": "2"],
        body: .bytes(
          Array("\(request.method) \(request.path)?\(request.query ?? "") \(fields)|".utf8) + body))
    } _: { peers in
      var request = peers.post("/a%20b?c=d", .bytes(Array("body".utf8)))
      request.headers = [("X-Own", "value"), ("X-Empty", ""), ("Content-Type", "application/json")]
      let answer = try await peers.transport.send(request)
      #expect(answer.status == 409 && !answer.isSuccess)
      #expect(
        answer["X-TWICE"] == "1"
          && answer.headers.filter { $0.name.lowercased() == "x-twice" }.count == 2)
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(text.hasPrefix("POST /a%20b?c=d Accept-Encoding="), "\(text)")
      #expect(
        text.contains(
          "|Content-Length=4|Content-Type=application/json|Host=127.0.0.1:\(peers.port)|"),
        "\(text)")
      #expect(text.hasSuffix("|User-Agent=Parhelion|X-Empty=|X-Own=value|body"), "\(text)")
    }
  }

  @Test(arguments: [TransportRequest.Method.post, .put])
  func `A missing body and an empty body arrive as empty`(method: TransportRequest.Method)
    async throws
  {
    try await withTransport { request in
      HTTPResponse(
        text:
          "\(request.method) \(request.headers["content-length"] ?? "-") \(try await request.collect(limit: 9))"
      )
    } _: { peers in
      for body in [nil, TransportRequest.Body.bytes([])] {
        let answer = try await peers.transport.send(
          TransportRequest(method, peers.address("/"), body: body))
        #expect(String(decoding: answer.body, as: UTF8.self) == "\(method.rawValue) 0 []")
      }
    }
  }

  @Test func `Sequential requests share one connection`() async throws {
    try await withTransport { request in
      HTTPResponse(text: "\(request.remoteAddress)")
    } _: { peers in
      var clients: Set<String> = []
      for _ in 0..<20 {
        clients.insert(
          String(decoding: try await peers.transport.send(peers.get("/")).body, as: UTF8.self))
        _ = try await peers.transport.send(peers.post("/", .bytes([1])))
      }
      #expect(clients.count == 1)
    }
  }

  @Test func `Parallel requests are limited`() async throws {
    let now = Mutex(0)
    let most = Mutex(0)
    try await withTransport {
      $0.transfersAtOnce = 7
    } handler: { request in
      let count = now.withLock { now in
        now += 1
        return now
      }
      most.withLock { $0 = max($0, count) }
      // The first seven requests overlap. An eighth parallel request would be counted, too.
      try await yields(while: most.withLock(\.self) < 7)
      for _ in 0..<20 { await Task.yield() }
      now.withLock { $0 -= 1 }
      return HTTPResponse(text: request.path)
    } _: { peers in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            let answer = try await peers.transport.send(peers.get("/\(number)"))
            #expect(String(decoding: answer.body, as: UTF8.self) == "/\(number)")
          }
        }
        try await group.waitForAll()
      }
      #expect(most.withLock(\.self) == 7)
    }
  }

  @Test func `Compressed responses are decoded and counted`() async throws {
    // The gzip form of 100,000 zeros.
    let packed = try #require(
      Data(
        base64Encoded:
          "H4sIAAAAAAAC/+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
          + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA"))
    try await withTransport { request in
      #expect(request.headers["accept-encoding"]?.contains("gzip") == true)
      return HTTPResponse(headers: ["Content-Encoding": "gzip"], body: .bytes([UInt8](packed)))
    } _: { peers in
      let answer = try await peers.transport.send(peers.get("/"))
      #expect(answer.body == [UInt8](repeating: 0, count: 100_000))
      var request = peers.get("/")
      request.answerLimit = 99_999
      let error = await #expect(throws: TransportError.self) {
        try await peers.transport.send(request)
      }
      #expect(error?.kind == .malformed)
      #expect(error?.reason.contains("more than the maximum of 99999 bytes") == true)
    }
  }

  @Test func `An upload reports its progress`() async throws {
    try await withTransport { request in
      for try await _ in request.body {}
      return HTTPResponse()
    } _: { peers in
      let reported = Mutex<[Int64]>([])
      var request = peers.post("/", .bytes([UInt8](repeating: 1, count: 5_000_000)))
      request.progress = { done, total in
        #expect(total == 5_000_000)
        reported.withLock { $0.append(done) }
      }
      _ = try await peers.transport.send(request)
      let counts = reported.withLock(\.self)
      #expect(counts == counts.sorted() && counts.last == 5_000_000, "\(counts)")
    }
  }

  @Test(arguments: [
    "ftp://localhost/", "file:///etc/passwd", "localhost", "", "http://localhost/a b",
    "http://localhost/\u{e9}",
    "http://localhost/\r\nX: y", "http://", "http://localhost:99999/", "http://[::1/",
  ])
  func `An invalid address is refused before anything is sent`(address: String) async throws {
    let error = await #expect(throws: TransportError.self) {
      try await CurlTransport().send(TransportRequest(.get, address))
    }
    #expect(error?.kind == .address, "\(error.map(String.init(describing:)) ?? "")")
    #expect(error?.mayHaveArrived == false)
  }

  @Test(arguments: [
    ("X-A", "a\r\nX-B: c"), ("X-A", "a\u{0}"), ("X A", "a"), ("", "a"), ("X:", "a"),
  ])
  func `A field that would inject another is refused`(name: String, value: String) async throws {
    var request = TransportRequest(.get, "http://localhost/?token=secret")
    request.headers = [(name, value)]
    let error = await #expect(throws: TransportError.self) {
      try await CurlTransport().send(request)
    }
    #expect(error?.kind == .address)
  }

  @Test func `After a shutdown requests are refused, and running ones end`() async throws {
    let asked = Signal()
    try await withTransport { _ in
      await asked.happen()
      try await waitForCancellation()
      return HTTPResponse()
    } _: { peers in
      let waiting = Task { try await peers.transport.send(peers.get("/")) }
      await asked.wait()
      await peers.transport.shutdown()
      let error = await #expect(throws: TransportError.self) { try await waiting.value }
      #expect(error?.kind == .cancelled && error?.mayHaveArrived == true)
      let later = await #expect(throws: TransportError.self) {
        try await peers.transport.send(peers.get("/"))
      }
      #expect(later?.kind == .cancelled && later?.mayHaveArrived == false)
      await peers.transport.shutdown()
    }
  }
}
