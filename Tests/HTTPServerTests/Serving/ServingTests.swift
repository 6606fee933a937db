import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Servers", .blockingThreads, .endsAtAll)
struct ServingTests {
  @Test
  func `Requests on one connection are answered one after another`() async throws {
    try await withServer { request in
      HTTPResponse(text: "\(request.method) \(request.path) \(request.query ?? "-")")
    } _: { _, address in
      let client = try RawClient(address)
      for path in ["/a", "/b?c", "/"] {
        try client.send(get(path))
        let response = try client.response()
        let parts = path.split(separator: "?")
        #expect(response.status == 200)
        #expect(response.text == "GET \(parts[0]) \(parts.count > 1 ? parts[1] : "-")")
        #expect(response.fields["date"]?.hasSuffix(" GMT") == true)
        #expect(response.fields["x-request-id"]?.count == 32)
        #expect(response.fields["connection"] == nil)
      }
    }
  }

  @Test
  func `The handler gets the client's address and the request's identifier`() async throws {
    let ids = Mutex<[String]>([])
    try await withServer { request in
      ids.withLock { $0.append(request.id.description) }
      return HTTPResponse(
        text:
          "\(request.remoteAddress.host) \(request.isSecure) \(request.headers["x-test"] ?? "-")")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/", "X-TEST: value\r\n") + get("/"))
      let first = try client.response()
      let second = try client.response()
      #expect(first.text == "127.0.0.1 false value")
      #expect(second.text == "127.0.0.1 false -")
      #expect(ids.withLock { $0 } == [first, second].compactMap { $0.fields["x-request-id"] })
      #expect(first.fields["x-request-id"] != second.fields["x-request-id"])
    }
  }

  @Test
  func `Pipelined requests are answered in order`() async throws {
    try await withServer {
      HTTPResponse(text: $0.path)
    } _: { _, address in
      let client = try RawClient(address)
      try client.send((0..<200).map { get("/\($0)") }.joined())
      for number in 0..<200 { #expect(try client.response().text == "/\(number)") }
    }
  }

  @Test
  func `A handler can use task groups and other executors`() async throws {
    try await withServer { _ in
      let numbers = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
        for number in 0..<10 { group.addTask { number } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      // It runs outside the loop, but not in the shared pool: other tests may occupy that for
      // longer than a client waits.
      let far = await Task.detached(executorPreference: ThreadForEachJob()) { 10 }.value
      return HTTPResponse(text: "\((numbers + [far]).reduce(0, +))")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/"))
      #expect(try client.response().text == "55")
    }
  }

  @Test
  func `An error that a handler throws is answered`() async throws {
    let events = Mutex(0)
    try await withServer {
      $0.onEvent = { if case .handlerFailed = $0 { events.withLock { $0 += 1 } } }
    } handler: { request in
      switch request.path {
      case "/failure": throw HTTPFailure(.conflict, "No.")
      case "/fault": return HTTPResponse(headers: ["X": "a\r\nb: c"])
      case "/long": return HTTPResponse(body: .bytes(try await request.collect(limit: 3)))
      default: throw RawClient.Failure(call: "unknown")
      }
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(
        get("/failure") + get("/fault") + get("/other") + post("/long", "1234")
          + post("/long", "123"))
      var responses: [RawClient.Response] = []
      for _ in 0..<5 { responses.append(try client.response()) }
      #expect(responses.map(\.status) == [409, 500, 500, 413, 200])
      #expect(responses[0].text == "No.\n")
      #expect(responses[2].text.contains(responses[2].fields["x-request-id"] ?? "?"))
      #expect(events.withLock { $0 } == 2)
    }
  }

  @Test
  func `HEAD, old clients and closing clients are served`() async throws {
    try await withServer { _ in
      HTTPResponse(text: "hello")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response(hasBody: false).fields["content-length"] == "5")
      try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try client.response().fields["connection"] == "keep-alive")
      try client.send(get("/", "Connection: close\r\n"))
      #expect(try client.response().fields["connection"] == "close")
      #expect(client.isAtEnd())
      let old = try RawClient(address)
      try old.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try old.response().text == "hello")
      #expect(old.isAtEnd())
    }
  }

  @Test(arguments: RefusedHeadTests.cases)
  func `Malformed requests are rejected over the network too`(
    error: HTTPParseError, text: String
  )
    async throws
  {
    try await withServer { _ in
      HTTPResponse(text: "reached")
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(text)
      #expect(try client.response().status == error.status.rawValue)
      client.finish()
      #expect(client.isAtEnd())
    }
  }

  @Test
  func `Several loops serve many connections`() async throws {
    try await withServer {
      $0.loops = 3
    } handler: {
      HTTPResponse(text: $0.path)
    } _: { server, address in
      let clients = try (0..<30).map { _ in try RawClient(address) }
      for round in 0..<3 {
        for (number, client) in clients.enumerated() { try client.send(get("/\(round)/\(number)")) }
        for (number, client) in clients.enumerated() {
          #expect(try client.response().text == "/\(round)/\(number)")
        }
      }
      #expect(server.connectionCount == 30)
    }
  }

  @Test
  func `A server reports why it cannot start, and starts once`() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.host = "localhost"
    await #expect(throws: HTTPServerError.self) {
      try await HTTPServer(configuration) { _ in HTTPResponse() }.start()
    }
    try await withServer { _ in
      HTTPResponse()
    } _: { server, address in
      let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
      #expect(error?.code == .state)
      var taken = HTTPServer.Configuration()
      taken.port = address.port
      let other = HTTPServer(taken) { _ in HTTPResponse() }
      let second = await #expect(throws: HTTPServerError.self) { try await other.start() }
      #expect(second?.code == .address && second?.errorNumber != 0)
      #expect(second?.message == "The server cannot listen at \(address): Address already in use.")
    }
  }

  @Test
  func `A server listens on IPv6 and sees mapped addresses`() async throws {
    try await withServer {
      $0.host = "::"
    } handler: {
      HTTPResponse(text: $0.remoteAddress.host)
    } _: { _, address in
      #expect(address.description == "[::]:\(address.port)")
      let client = try RawClient(address)
      try client.send(get("/"))
      #expect(try client.response().text == "127.0.0.1")
    }
  }
}
