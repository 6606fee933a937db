import CTLS
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("TLS servers", .blockingThreads, .endsAtAll)
struct SecureServingTests {
  @Test(arguments: ["localhost", "127.0.0.1", "::1", "example.test"])
  func `Clients that trust the authority accept the server under its hosts`(host: String)
    async throws
  {
    try await withSecureServer(hosts: ["example.test"]) { request in
      HTTPResponse(text: "\(request.isSecure) \(request.path)")
    } _: { _, address, authority in
      let client = try SecureClient(address, .init(authority: authority), host: host)
      #expect(client.version == "TLSv1.3")
      #expect(client.chosenProtocol == "http/1.1")
      for path in ["/a", "/b"] {
        try client.send(get(path))
        #expect(try client.response().text == "true \(path)")
      }
    }
  }

  @Test
  func `Other hosts, other protocols and old versions are rejected`() async throws {
    let failures = Mutex(0)
    try await withSecureServer {
      $0.onEvent = { if case .handshakeFailed = $0 { failures.withLock { $0 += 1 } } }
    } handler: { _ in
      HTTPResponse()
    } _: { _, address, authority in
      let context = try SecureClient.Context(authority: authority)
      #expect(throws: RawClient.Failure.self) {
        try SecureClient(address, context, host: "example.test")
      }
      #expect(throws: RawClient.Failure.self) {
        try SecureClient(address, context, protocols: "\u{2}h2")
      }
      let old = try SecureClient.Context(authority: authority, highestVersion: TLS1_1_VERSION)
      #expect(throws: RawClient.Failure.self) { try SecureClient(address, old) }
      let last = try SecureClient.Context(authority: authority, highestVersion: TLS1_2_VERSION)
      #expect(try SecureClient(address, last).version == "TLSv1.2")
      #expect(try SecureClient(address, context, protocols: "").chosenProtocol == "")
      #expect(failures.withLock { $0 } >= 2)
    }
  }

  @Test
  func `Sessions are resumed and survive a new certificate`() async throws {
    try await withSecureServer { _ in
      HTTPResponse()
    } _: { server, address, authority in
      let context = try SecureClient.Context(authority: authority)
      func serial(resuming former: OpaquePointer?, expectsResumption: Bool) throws -> (
        OpaquePointer?, UInt64
      ) {
        let client = try SecureClient(address, context, resuming: former)
        #expect(client.hasResumed == expectsResumption)
        // The session ticket arrives with the first response.
        try client.send(get("/"))
        _ = try client.response()
        // OpenSSL forgets sessions that end without a close notification.
        client.finish()
        return (client.resumable, client.serialNumber)
      }
      let (first, oldSerial) = try serial(resuming: nil, expectsResumption: false)
      defer { SSL_SESSION_free(first) }
      let (second, _) = try serial(resuming: first, expectsResumption: true)
      defer { SSL_SESSION_free(second) }
      let folder = URL(fileURLWithPath: authority).deletingLastPathComponent()
      try FileManager.default.removeItem(at: folder.appendingPathComponent("server.pem"))
      try server.reloadCertificate()
      let (third, _) = try serial(resuming: second, expectsResumption: true)
      SSL_SESSION_free(third)
      let (fourth, newSerial) = try serial(resuming: nil, expectsResumption: false)
      SSL_SESSION_free(fourth)
      #expect(oldSerial != newSerial)
    }
  }

  @Test
  func `Unusable certificate files are named and do not harm a running server`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let authority = DevelopmentAuthority(folder: folder.path)
    let (certificate, key) = try authority.files(hosts: [])
    for (wrongCertificate, wrongKey, named) in [
      (certificate + "x", key, "The file \(certificate)x does not exist."),
      (certificate, key + "x", "The file \(key)x does not exist."),
      (authority.certificate, key, key), (key, key, "\(key) cannot be used; it must have PEM"),
    ] {
      var configuration = HTTPServer.Configuration()
      configuration.security = .files(certificate: wrongCertificate, key: wrongKey)
      let server = HTTPServer(configuration) { _ in HTTPResponse() }
      let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
      #expect(error?.code == .certificate)
      #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
    }
    try await withServer {
      $0.security = .files(certificate: certificate, key: key)
    } handler: { _ in
      HTTPResponse()
    } _: { server, address in
      try Data("damaged".utf8).write(to: URL(fileURLWithPath: key))
      #expect(throws: HTTPServerError.self) { try server.reloadCertificate() }
      let client = try SecureClient(address, .init(authority: authority.certificate))
      try client.send(get("/"))
      #expect(try client.response().status == 200)
    }
  }

  @Test
  func `Long bodies pass in both directions, from memory, files and parts`() async throws {
    let length = 20_000_000
    try await withTemporaryFile(count: length) { path in
      try await withSecureServer { request in
        switch request.path {
        case "/file": return HTTPResponse(body: .file(try HTTPFile(path: path)))
        case "/bytes": return HTTPResponse(body: .bytes([UInt8](repeating: 2, count: length)))
        case "/parts":
          return HTTPResponse(
            body: .parts(length: nil) { writer in
              for _ in 0..<200 {
                try await writer.write([UInt8](repeating: 3, count: length / 200))
              }
            })
        default:
          var count = 0
          for try await piece in request.body { count += piece.count }
          return HTTPResponse(text: "\(count)")
        }
      } _: { _, address, authority in
        let client = try SecureClient(address, .init(authority: authority))
        for (path, byte) in [("/file", UInt8(1)), ("/bytes", 2), ("/parts", 3)] {
          try client.send(get(path))
          let body = try client.response().body
          #expect(body == [UInt8](repeating: byte, count: length))
        }
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        try client.send([UInt8](repeating: 4, count: length))
        #expect(try client.response().text == "\(length)")
      }
    }
  }

  @Test
  func `TLS servers drop clients without a handshake, and plain servers reject one`() async throws {
    try await withSecureServer {
      $0.timeouts.head = .milliseconds(100)
    } handler: { _ in
      HTTPResponse()
    } _: { _, address, _ in
      let silent = try RawClient(address)
      let plain = try RawClient(address)
      try plain.send(get("/"))
      #expect(plain.isWithoutResponse())
      #expect(silent.isWithoutResponse())
    }
    try await withServer { _ in
      HTTPResponse()
    } _: { _, address in
      let client = try RawClient(address)
      try client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
      #expect(try client.response().status == 400)
    }
  }

  @Test
  func `A disconnecting client cancels its handler`() async throws {
    let (hasBegun, wasCancelled) = (Signal(), Signal())
    try await withSecureServer { _ in
      hasBegun.happen()
      defer { wasCancelled.happen() }
      try await Signal().waitOrCancel()
      return HTTPResponse()
    } _: { _, address, authority in
      do {
        let client = try SecureClient(address, .init(authority: authority))
        try client.send(get("/"))
        await hasBegun.wait()
      }
      await wasCancelled.wait()
    }
  }

  @Test
  func `A shutdown ends sessions properly`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = HTTPServer.Configuration()
    configuration.security = .development(folder: folder.path)
    let server = HTTPServer(configuration) { _ in HTTPResponse() }
    let address = try await server.start()
    let client = try SecureClient(address, .init(authority: folder.path + "/authority.pem"))
    try client.send(get("/"))
    #expect(try client.response().status == 200)
    #expect(await server.shutdown(within: .seconds(60)) == 0)
    #expect(try client.rest().isEmpty)
  }
}

/// Runs a server with a development certificate, and passes the authority's file.
func withSecureServer(
  hosts: [String] = [], _ configure: (inout HTTPServer.Configuration) -> Void = { _ in },
  handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer, SocketAddress, String) async throws -> Void
) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "parhelion-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await withServer {
    $0.security = .development(folder: folder.path, hosts: hosts)
    configure(&$0)
  } handler: {
    try await handler($0)
  } _: { server, address in
    try await body(server, address, DevelopmentAuthority(folder: folder.path).certificate)
  }
}

extension RawClient {
  /// Whether the connection ends without anything that could be a response.
  func isWithoutResponse() -> Bool {
    do { return try !rest().starts(with: Array("HTTP".utf8)) } catch { return error is Failure }
  }
}
