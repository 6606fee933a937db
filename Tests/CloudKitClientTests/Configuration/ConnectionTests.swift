import ClientTestSupport
import CloudKitClient
import CurlTransport
import Foundation
import Testing

@Suite("Server connections")
struct ConnectionTests {
  private typealias Connection = CKContainer.Configuration.Connection

  @Test func `A configuration without connection settings uses those of the environment`() {
    let settings = Connection().settings
    #expect(settings.proxy == .environment && settings.security == CurlTransport.Security())
  }

  @Test func `A proxy with exceptions and a certificate applies`() throws {
    let connection = Connection(
      certificateAuthority: URL(fileURLWithPath: "/ca.pem"),
      proxy: webAddress("http://proxy.example.com:3128"),
      proxyExceptions: ["intranet.example.com"],
      clientCertificate: CKContainer.Configuration.ClientCertificate(
        certificate: URL(fileURLWithPath: "/me.pem"), privateKey: URL(fileURLWithPath: "/me.key")))
    let settings = connection.settings
    #expect(
      settings.proxy
        == .server("http://proxy.example.com:3128", exceptions: ["intranet.example.com"]))
    #expect(settings.security.authorityFile == "/ca.pem")
    let shown = CurlTransport.ClientCertificate(certificateFile: "/me.pem", keyFile: "/me.key")
    #expect(settings.security.clientCertificate == shown)
  }
}
