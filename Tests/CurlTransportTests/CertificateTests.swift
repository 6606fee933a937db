import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite("Certificates under libcurl", .blockingThreads, .endsAtAll)
struct CertificateTests {
  /// Runs a server with a developer's certificate.
  private func withSecureServer(
    days: Int = 90, _ body: (_ port: UInt16, _ authority: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = DevelopmentAuthority(folder: folder.path, serverDays: days)
      let (certificate, key) = try authority.files(hosts: [])
      var configuration = HTTPServer.Configuration()
      configuration.host = "0.0.0.0"
      configuration.security = .files(certificate: certificate, key: key)
      let server = HTTPServer(configuration) { HTTPResponse(text: "\($0.isSecure)") }
      let address = try await server.start()
      do {
        try await body(address.port, authority.certificate)
      } catch {
        Issue.record(error)
      }
      await server.shutdown(within: .zero)
    }
  }

  private func send(_ address: String, trusting authority: String?) async -> Result<
    TransportResponse, TransportError
  > {
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    settings.security.authorityFile = authority
    let transport = CurlTransport(settings)
    let result: Result<TransportResponse, TransportError>
    do throws(TransportError) {
      result = .success(try await transport.send(TransportRequest(.post, address)))
    } catch {
      result = .failure(error)
    }
    await transport.shutdown()
    return result
  }

  private func transportError(_ address: String, trusting authority: String?) async
    -> TransportError?
  {
    guard case .failure(let error) = await send(address, trusting: authority) else { return nil }
    return error
  }

  @Test func `A trusted certificate for the host is accepted`() async throws {
    try await withSecureServer { port, authority in
      for host in ["localhost", "127.0.0.1"] {
        let answer = try await send("https://\(host):\(port)/", trusting: authority).get()
        #expect(String(decoding: answer.body, as: UTF8.self) == "true")
      }
    }
  }

  @Test func `An untrusted, mismatched or expired certificate is refused before anything is sent`()
    async throws
  {
    try await withSecureServer { port, authority in
      try await withSecureServer { _, other in
        for (host, trusted) in [("localhost", other), ("localhost", nil), ("127.0.0.2", authority)]
        {
          let error = await transportError("https://\(host):\(port)/", trusting: trusted)
          #expect(
            error?.kind == .untrusted && error?.mayHaveArrived == false,
            "\(host) \(error?.reason ?? "no error")")
        }
      }
    }
    try await withSecureServer(days: -1) { port, authority in
      let error = await transportError("https://localhost:\(port)/", trusting: authority)
      #expect(
        error?.kind == .untrusted && error?.reason.contains("expired") == true,
        "\(error?.reason ?? "no error")")
    }
  }

  @Test func `A missing local certificate file is a settings error`() async throws {
    try await withSecureServer { port, _ in
      let error = await transportError("https://localhost:\(port)/", trusting: "/not/there.pem")
      #expect(error?.kind == .settings && error?.reason.contains("/not/there.pem") == true)
    }
  }

  /// Runs OpenSSL's server, which requires the client certificate.
  private func withDemandingServer(
    _ body: (_ port: String, _ authority: String, CurlTransport.ClientCertificate) async throws ->
      Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = DevelopmentAuthority(folder: folder.path, serverDays: 90)
      let (certificate, key) = try authority.files(hosts: [])
      let own = CurlTransport.ClientCertificate(
        certificateFile: folder.path + "/me.pem", keyFile: folder.path + "/me.key")
      let making = try Process.run(
        URL(fileURLWithPath: Self.openSSL),
        arguments: [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
          "-days", "2", "-subj",
          "/CN=me", "-keyout", own.keyFile, "-out", own.certificateFile,
        ])
      making.waitUntilExit()
      let (server, output) = (Process(), Pipe())
      server.executableURL = URL(fileURLWithPath: Self.openSSL)
      server.arguments = [
        "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-Verify", "1",
        "-verify_return_error",
        "-CAfile", own.certificateFile, "-www",
      ]
      server.standardOutput = output
      server.standardError = FileHandle.nullDevice
      try server.run()
      // It inherits the blocked signals of the thread that started it, so SIGTERM may wait forever.
      defer {
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
      }
      try await body(try port(output), authority.certificate, own)
    }
  }

  private static let openSSL = "/usr/bin/openssl"

  /// The port that the server reports.
  private func port(_ output: Pipe) throws -> String {
    var spoken = ""
    while !spoken.contains("ACCEPT") || !spoken.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "\(spoken)")
      spoken += String(decoding: more, as: UTF8.self)
    }
    let line = try #require(spoken.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
    return String(try #require(line.split(separator: ":").last))
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: openSSL),
      "OpenSSL's program is not installed"))
  func `The client certificate is sent to a server that requests one`() async throws {
    try await withDemandingServer { port, authority, own in
      for certificate in [own, nil] {
        var settings = CurlTransport.Settings()
        settings.proxy = .none
        settings.security.authorityFile = authority
        settings.security.clientCertificate = certificate
        let transport = CurlTransport(settings)
        let answer = try? await transport.send(TransportRequest(.get, "https://localhost:\(port)/"))
        #expect(answer?.status == (certificate == nil ? nil : 200))
        await transport.shutdown()
      }
    }
  }

  @Test func `A server without TLS fails an HTTPS request`() async throws {
    try await withTransport { _ in
      HTTPResponse()
    } _: { peers in
      let error = await transportError("https://127.0.0.1:\(peers.port)/", trusting: nil)
      #expect(error?.kind == .broken && error?.mayHaveArrived == false)
    }
  }
}
