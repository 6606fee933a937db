import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite("Certificates under libcurl", .blockingThreads)
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

  private func send(_ address: String, trusting authority: String?) async -> Result<TransportResponse, TransportFault> {
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    settings.security.authorityFile = authority
    let transport = CurlTransport(settings)
    let result: Result<TransportResponse, TransportFault>
    do throws(TransportFault) {
      result = .success(try await transport.send(TransportRequest(.post, address)))
    } catch {
      result = .failure(error)
    }
    await transport.shutdown()
    return result
  }

  private func fault(_ address: String, trusting authority: String?) async -> TransportFault? {
    guard case .failure(let fault) = await send(address, trusting: authority) else { return nil }
    return fault
  }

  @Test func `Of a trusted authority, for the host's name, are good`() async throws {
    try await withSecureServer { port, authority in
      for host in ["localhost", "127.0.0.1"] {
        let answer = try await send("https://\(host):\(port)/", trusting: authority).get()
        #expect(String(decoding: answer.body, as: UTF8.self) == "true")
      }
    }
  }

  @Test func `Of others, for other hosts, or out of date are refused before anything is sent`() async throws {
    try await withSecureServer { port, authority in
      try await withSecureServer { _, other in
        for (host, trusted) in [("localhost", other), ("localhost", nil), ("127.0.0.2", authority)] {
          let fault = await fault("https://\(host):\(port)/", trusting: trusted)
          #expect(fault?.kind == .untrusted && fault?.mayHaveArrived == false, "\(host) \(fault?.reason ?? "no fault")")
        }
      }
    }
    try await withSecureServer(days: -1) { port, authority in
      let fault = await fault("https://localhost:\(port)/", trusting: authority)
      #expect(fault?.kind == .untrusted && fault?.reason.contains("expired") == true, "\(fault?.reason ?? "no fault")")
    }
  }

  @Test func `That are missing on this side are faults of files`() async throws {
    try await withSecureServer { port, _ in
      let fault = await fault("https://localhost:\(port)/", trusting: "/not/there.pem")
      #expect(fault?.kind == .file && fault?.reason.contains("/not/there.pem") == true)
    }
  }

  @Test func `A server without TLS is no server with it`() async throws {
    try await meet { _ in
      HTTPResponse()
    } _: { meeting in
      let fault = await fault("https://127.0.0.1:\(meeting.port)/", trusting: nil)
      #expect(fault?.kind == .broken && fault?.mayHaveArrived == false)
    }
  }
}
