import MailTransport
import Testing

@Suite struct MailMessageTests {
  private func message(_ subject: String = "Hello", name: String = "Ada") throws -> MailMessage {
    MailMessage(
      from: try #require(MailAddress("cloud@example.com")), fromName: name,
      to: try #require(MailAddress("bob@example.org")), subject: subject, text: "Plain ü",
      html: "<p>HTML</p>", seconds: 1_767_225_600, identifier: "abc123")
  }

  private func lines(_ message: MailMessage) -> [String] {
    String(decoding: message.bytes, as: UTF8.self).components("\r\n")
  }

  @Test func `A mail has a text and HTML`() throws {
    let shown = lines(try message())
    #expect(
      shown == [
        "Date: Thu, 01 Jan 2026 00:00:00 +0000", "From: =?UTF-8?B?QWRh?= <cloud@example.com>",
        "To: <bob@example.org>", "Subject: =?UTF-8?B?SGVsbG8=?=",
        "Message-ID: <abc123@example.com>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        "Content-Type: multipart/alternative; boundary=\"=_abc123\"", "", "--=_abc123",
        "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        "UGxhaW4gw7w=", "", "--=_abc123", "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: base64", "", "PHA+SFRNTDwvcD4=", "", "--=_abc123--", "",
      ])
  }

  @Test(arguments: [
    "a\r\nBcc: eve@example.com", "a\nX: y", "a\rX: y", "a\u{2028}X: y", "a\u{0}b", "?=\r\nX: y",
    String(repeating: "ü", count: 200), "=?UTF-8?B?SGVsbG8=?=",
  ])
  func `No text adds a header field, and no line is long`(_ text: String) throws {
    let all = lines(try message(text, name: text))
    let head = Array(all.prefix { !$0.isEmpty })
    let names = head.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version",
        "Content-Type",
      ])
    #expect(
      all.allSatisfy { $0.utf8.count <= 120 && $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
  }

  @Test(arguments: ["bob@example.org", "a.b+c@x-y.example", "b@localhost", "o'neil@example.com"])
  func `Plain addresses are accepted`(_ text: String) { #expect(MailAddress(text)?.text == text) }

  @Test(arguments: [
    "", "@", "bob", "bob@", "@example.org", "a@b@c", "a b@example.org", "bob@exa mple.org",
    "bob@example.org\r\nBcc: x@y", "bob@example.org>", "<bob@example.org>", "\"a b\"@example.org",
    "bob@[127.0.0.1]", "bob@.org", "bob@example..org", ".bob@example.org", "bob@-x.org",
    "böb@example.org", "bob@exämple.org", "bob,eve@example.org", "bob@example.org,eve",
    String(repeating: "a", count: 65) + "@example.org",
  ])
  func `Other texts are no addresses`(_ text: String) { #expect(MailAddress(text) == nil) }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
    (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000"),
  ])
  func `The Date field is correct on leap days and before 1970`(
    _ seconds: Int64, _ text: String
  ) throws {
    var message = try message()
    message.seconds = seconds
    #expect(lines(message)[0] == "Date: \(text)")
  }
}

@Suite struct SMTPServerTests {
  @Test func `An address names a server, its port, its encryption and a user`() throws {
    let full = try #require(SMTPServer("smtps://ada%40example.com@mail.example.com:4650/"))
    #expect(full.encryption == .immediate && full.host == "mail.example.com")
    #expect(full.port == 4650 && full.user == "ada@example.com" && full.password == nil)
    let short = try #require(SMTPServer("smtp://mail.example.com"))
    #expect(short.encryption == .required && short.port == 587 && short.user == nil)
    #expect(SMTPServer("smtps://h")?.port == 465)
    #expect(SMTPServer("SMTP://127.0.0.1:25")?.encryption == SMTPServer.Encryption.none)
    #expect(SMTPServer("smtp://[::1]:25")?.host == "[::1]")
  }

  @Test(arguments: [
    "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://a:b@host", "smtp://@host",
    "smtp://host:0", "smtp://host:99999", "smtp://ho st", "smtp://host/path", "smtp://a%0D%0A@host",
    "smtp://a%4@host", "smtp://a%FF@host",
  ])
  func `Other texts name no server`(_ text: String) { #expect(SMTPServer(text) == nil) }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
