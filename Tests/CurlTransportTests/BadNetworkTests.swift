import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Bad networks under libcurl", .blockingThreads, .endsAtAll)
struct BadNetworkTests {
  private func transportError(
    _ transport: CurlTransport, _ request: TransportRequest
  ) async -> TransportError? {
    await #expect(throws: TransportError.self) { try await transport.send(request) }
  }

  /// A request through a proxy.
  private func post(_ proxy: FaultyProxy, bytes count: Int = 10) -> TransportRequest {
    TransportRequest(
      .post, "http://127.0.0.1:\(proxy.port)/?token=secret",
      body: .bytes([UInt8](repeating: 1, count: count)))
  }

  @Test func `A closed port refuses, and an unknown host name is offline`() async throws {
    let free = try FaultyProxy(to: 1)
    free.close()
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    let transport = CurlTransport(settings)
    let refused = await transportError(
      transport, TransportRequest(.post, "http://127.0.0.1:\(free.port)/?token=secret"))
    #expect(refused?.kind == .refused && refused?.mayHaveArrived == false)
    #expect(
      refused?.reason.contains("127.0.0.1") == true && refused?.reason.contains("secret") == false)
    let unknown = await transportError(transport, TransportRequest(.post, "http://nobody.invalid/"))
    #expect(unknown?.kind == .offline && unknown?.mayHaveArrived == false)
    await transport.shutdown()
  }

  /// A proxy of one test must not close a socket of another test.
  @Test func `Closing a proxy twice spares the new owner of its descriptor`() async throws {
    let proxy = try FaultyProxy(to: 1)
    proxy.close()
    try await yields(while: !proxy.hasClosedListener)
    let pairs = (0..<64).map { _ in
      var pair: [CInt] = [-1, -1]
      socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair)
      return pair
    }
    proxy.close()
    for pair in pairs {
      #expect(send(pair[0], "x", 1, CInt(MSG_NOSIGNAL)) == 1)
      for descriptor in pair { close(descriptor) }
    }
  }

  @Test(arguments: [NetworkFault.Ending.reset, .close])
  func `A broken connection reports whether the request may have arrived`(
    ending: NetworkFault.Ending
  ) async throws {
    let served = Mutex(0)
    try await withTransport { request in
      _ = try await request.collect(limit: 1 << 20)
      served.withLock { $0 += 1 }
      return HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 100_000)))
    } _: { peers in
      let proxy = try FaultyProxy(to: peers.port)
      defer { proxy.close() }
      for fault in [NetworkFault.up(20, ending), .down(20, ending), .down(50_000, ending)] {
        proxy.fault = fault
        let reported = await self.transportError(peers.transport, post(proxy))
        #expect(
          reported?.kind == .broken && reported?.mayHaveArrived == true,
          "\(fault): \(reported?.reason ?? "")")
        #expect(reported?.reason.contains("secret") == false)
      }
      #expect(served.withLock(\.self) == 2)
    }
  }

  @Test func `A stalled connection ends at the time limit`() async throws {
    try await withTransport { request in
      _ = try await request.collect(limit: 1 << 20)
      return HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 100_000)))
    } _: { peers in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for fault in [NetworkFault.up(20, .stall), .down(20, .stall), .down(50_000, .stall)] {
          group.addTask {
            let proxy = try FaultyProxy(to: peers.port)
            defer { proxy.close() }
            proxy.fault = fault
            var request = post(proxy)
            request.idleLimit = .seconds(5)
            let reported = await self.transportError(peers.transport, request)
            #expect(reported?.kind == .timedOut && reported?.mayHaveArrived == true, "\(fault)")
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `A request that may have arrived is not silently sent again`() async throws {
    let served = Mutex<[String]>([])
    try await withTransport { request in
      served.withLock { $0.append("\(request.method) \(request.path)") }
      for try await _ in request.body {}
      return HTTPResponse()
    } _: { peers in
      let proxy = try FaultyProxy(to: peers.port)
      defer { proxy.close() }
      for method in [TransportRequest.Method.post, .put, .get] {
        // The first request succeeds. The connection ends while the second one is sent.
        let first = TransportRequest(
          method, "http://127.0.0.1:\(proxy.port)/first", body: method == .get ? nil : .bytes([1]))
        let length = try await self.length(of: first, peers)
        proxy.fault = .up(length + 30, .close)
        _ = try await peers.transport.send(first)
        proxy.fault = .none
        var second = first
        second.address = "http://127.0.0.1:\(proxy.port)/second"
        let result = await Result { () async throws(TransportError) in
          try await peers.transport.send(second)
        }
        switch result {
        case .success: #expect(method == .get)
        case .failure(let error):
          #expect(
            method != .get && error.kind == .broken && error.mayHaveArrived, "\(method): \(error)")
        }
      }
      #expect(
        served.withLock(\.self) == ["POST /first", "PUT /first", "GET /first", "GET /second"])
    }
  }

  /// The length of a request on the network in bytes.
  private func length(of request: TransportRequest, _ peers: TransportAndServer) async throws -> Int
  {
    let port = request.address.split(separator: ":")[2].prefix { $0 != "/" }
    let text =
      "\(request.method.rawValue) /first HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUser-Agent: Parhelion\r\n"
      + "Accept-Encoding: deflate, gzip, br, zstd\r\n"
      + (request.body == nil ? "" : "Content-Length: 1\r\n") + "\r\n"
    return text.utf8.count + (request.body == nil ? 0 : 1)
  }

  private static let answers: [(String, TransportError.Kind?)] = [
    ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<!DOCTYPE", nil),
    ("HTTP/1.1 302 Found\r\nLocation: http://portal.example/\r\nContent-Length: 0\r\n\r\n", nil),
    ("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n<!DOCTYPE", .broken),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n", .broken),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde", .malformed),
    ("HTTP/1.1 200 OK\r\nContent-", .broken), ("SSH-2.0-OpenSSH_9.2\r\n", .malformed),
    ("", .broken),
    ("<html>hello</html>", .malformed),
  ]

  @Test(arguments: answers)
  func `A foreign response is a response or an error`(
    answer: String, kind: TransportError.Kind?
  ) async throws {
    let proxy = try FaultyProxy(to: 1)
    defer { proxy.close() }
    proxy.fault = .answer(Array(answer.utf8), .close)
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    let transport = CurlTransport(settings)
    let result = await Result { () async throws(TransportError) in
      try await transport.send(post(proxy))
    }
    switch result {
    case .success(let response): #expect(kind == nil && [200, 302].contains(response.status))
    case .failure(let error): #expect(error.kind == kind && error.mayHaveArrived, "\(error)")
    }
    await transport.shutdown()
  }

  @Test func `A configured proxy is used, except for excluded hosts`() async throws {
    try await withTransport { request in
      HTTPResponse(text: "\(request.head.authority)")
    } _: { peers in
      var settings = CurlTransport.Settings()
      settings.proxy = .server("http://127.0.0.1:\(peers.port)", exceptions: ["direct.invalid"])
      let transport = CurlTransport(settings)
      let answer = try await transport.send(TransportRequest(.get, "http://cloud.invalid/"))
      #expect(String(decoding: answer.body, as: UTF8.self) == "cloud.invalid")
      let direct = await transportError(transport, TransportRequest(.get, "http://direct.invalid/"))
      #expect(direct?.kind == .offline)
      await transport.shutdown()
    }
  }
}

extension Result where Failure == TransportError, Success: Sendable {
  fileprivate init(_ body: () async throws(TransportError) -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
