import Foundation
import HTTPServer
import MailTransport
import TestSupport
import Testing

@Suite(
  "Sending mails to a real server", .blockingThreads, .endsAtAll,
  .enabled(if: MailServer.isInstalled, "\(MailServer.missing)"))
struct SMTPClientTests {
  private func message(to address: String = "bob@example.org") throws -> MailMessage {
    MailMessage(
      from: try #require(MailAddress("cloud@example.com")), fromName: "Parhelion",
      to: try #require(MailAddress(address)), subject: "Grüße\r\nBcc: eve@example.com",
      text: ".\n..\nÜ\n", html: "<p>Ü</p>", seconds: 1_767_225_600, identifier: "abc")
  }

  private func client(
    _ address: String, _ authority: String? = nil, password: String? = nil,
    isUpgraded: Bool = false
  ) throws -> SMTPClient {
    var server = try #require(SMTPServer(address))
    // As for a server on another machine.
    if isUpgraded { server.encryption = .required }
    (server.authorityFile, server.password) = (authority, password)
    return SMTPClient(server)
  }

  private func failure(_ client: SMTPClient, to address: String = "bob@example.org") async throws
    -> MailFailure?
  {
    let mail = try message(to: address)
    do throws(MailFailure) {
      try await client.send(mail)
      return nil
    } catch { return error }
  }

  @Test func `A mail arrives unchanged`() async throws {
    let server = try MailServer()
    let client = try client("smtp://127.0.0.1:\(server.port)")
    try await client.send(try message())
    let mail = try server.next()
    #expect(mail.from == "cloud@example.com" && mail.to == ["bob@example.org"] && mail.user.isEmpty)
    #expect(Array(mail.data.utf8) == (try message()).bytes)
    try await client.send(try message(to: "carol@example.org"))
    #expect(try server.next().to == ["carol@example.org"])
  }

  @Test func `A recipient's rejection can be permanent or temporary`() async throws {
    let server = try MailServer()
    let client = try client("smtp://127.0.0.1:\(server.port)")
    #expect(try await failure(client, to: "missing@example.org")?.isPermanent == true)
    let later = try #require(try await failure(client, to: "later@example.org"))
    #expect(!later.isPermanent && later.reason.contains("450"), "\(later)")
    // The next mail is not affected.
    try await client.send(try message())
    #expect(try server.next().to == ["bob@example.org"])
  }

  @Test func `Without STARTTLS nothing is sent to another machine`() async throws {
    let server = try MailServer(password: "right")
    let address = "smtp://ada@localhost:\(server.port)"
    let remote = try client(address, password: "right", isUpgraded: true)
    #expect(try await failure(remote)?.isPermanent == false)
    // The server reports all mails, so the first one is that of a client without encryption.
    let local = try client(address, password: "right")
    try await local.send(try message(to: "carol@example.org"))
    let first = try server.next()
    #expect(first.to == ["carol@example.org"] && first.user == "ada")
    #expect(first.signInAttempts == 1)
  }

  @Test func `An unreachable server is not a permanent failure`() async throws {
    let client = try client("smtp://127.0.0.1:1")
    #expect(try await failure(client)?.isPermanent == false)
  }

  @Test func `A cancelled attempt does not wait for a silent server`() async throws {
    // An HTTP server waits for the client to speak first, and a mail client waits for the server.
    let server = HTTPServer { _ in HTTPResponse() }
    let port = try await server.start().port
    let client = try client("smtp://127.0.0.1:\(port)")
    let attempt = Task { try await failure(client) }
    try await yields(while: server.connectionCount == 0)
    attempt.cancel()
    let end = try #require(try await attempt.value)
    #expect(!end.isPermanent && end.reason.contains("aborted"), "\(end)")
    await server.shutdown(within: .zero)
  }

  @Test(arguments: [MailServer.Security.immediate, .upgrade])
  func `An encrypted connection needs a trusted certificate and the password`(
    _ security: MailServer.Security
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = DevelopmentAuthority(folder: folder.path)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let files = try authority.files(hosts: [])
      let server = try MailServer(
        security, certificate: (files.certificate, files.key), password: "right")
      let isUpgraded = security == .upgrade
      let address = "\(isUpgraded ? "smtp" : "smtps")://ada@localhost:\(server.port)"
      func made(_ password: String?, _ file: String?, _ address: String) throws -> SMTPClient {
        try client(address, file, password: password, isUpgraded: isUpgraded)
      }
      try await made("right", authority.certificate, address).send(try message())
      #expect(try server.next().user == "ada")
      let untrusting = try made("right", nil, address)
      #expect(try await failure(untrusting)?.isPermanent == false)
      let wrong = try made("wrong", authority.certificate, address)
      #expect(try await failure(wrong)?.isPermanent == false)
      let nameless = try made(
        nil, authority.certificate, address.replacing("ada@", with: ""))
      #expect(try await failure(nameless) != nil)
    }
  }
}
