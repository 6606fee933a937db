import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// Records mails instead of sending them, and fails on request.
private final class Postbox: MailSender {
  private let state = Mutex((mails: [OutgoingMail](), failures: [MailOutcome]()))
  private let arrivals = AsyncStream<OutgoingMail>.makeStream()

  func fail(with outcomes: MailOutcome...) { state.withLock { $0.failures += outcomes } }

  func send(_ mail: OutgoingMail) async -> MailOutcome {
    let outcome = state.withLock { state in
      let outcome = state.failures.isEmpty ? MailOutcome.sent : state.failures.removeFirst()
      if outcome == .sent { state.mails.append(mail) }
      return outcome
    }
    // After the mail is recorded, because the test counts the mails when it receives this.
    arrivals.continuation.yield(mail)
    return outcome
  }

  var sent: [OutgoingMail] { state.withLock(\.mails) }

  /// The next attempt to send a mail.
  func next() async throws -> OutgoingMail {
    try #require(await arrivals.stream.first { _ in true })
  }
}

@Suite("Invitations by mail", .blockingThreads, .endsAtAll)
struct InvitationMailTests {
  private let postbox = Postbox()
  private let reports = TestService.Lines()

  private func run(_ body: (TestService, WebClient) async throws -> Void) async throws {
    try await TestService.run {
      $0.mailSender = postbox
      $0.service.publicAddress = "https://cloud.example.com"
      $0.service.report = { [reports] error, _ in reports.append("\(error)") }
    } _: { testService in
      let ada = try await testService.user("ada@example.com")
      try ada.ask(
        "private", "zones/modify",
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
      try await body(testService, ada)
    }
  }

  private static let share =
    #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share""#

  private func save(
    _ ada: WebClient, _ operation: String = "create", _ people: String...,
    title: String = "Summer <in> the Alps", user: String? = nil
  ) throws -> JSONNode {
    var list = people.map {
      #"{"userIdentity":{"lookupInfo":{"emailAddress":"\#($0)"}},"permission":"READ_WRITE"}"#
    }
    if let user { list.append(user) }
    let text = String(decoding: try JSONEncoder().encode(title), as: UTF8.self)
    let saved = try ada.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"\#(operation)","record":{\#(Self.share),"fields":"#
        + #"{"cloudkit.title":{"value":\#(text)}},"#
        + #""participants":[\#(list.joined(separator: ","))]}}],"#
        + #""zoneID":{"zoneName":"Z"}}"#
    )
    #expect(saved["records"][0]["shortGUID"].text != nil, "\(saved)")
    return saved["records"][0]
  }

  @Test func `A person who is added by address gets one mail, with a link of their own`()
    async throws
  {
    try await run { testService, ada in
      let share = try save(ada, "create", "bob@example.org")
      let mail = try await postbox.next()
      #expect(mail.address == "bob@example.org")
      #expect(mail.subject == "A user invites you to share “Summer <in> the Alps”")
      #expect(mail.text.contains("see and change it"))
      #expect(mail.html.contains("Summer &lt;in&gt; the Alps") && !mail.html.contains("<in>"))
      let start = "https://cloud.example.com/share/"
      let link = try #require(
        mail.text.split(separator: start).last.map { $0.prefix { !$0.isWhitespace } })
      #expect(mail.html.contains("\(start)\(link)") && !mail.text.contains("#"))
      // The link is the participant's own, and is shown to no other user.
      let short = try #require(share["shortGUID"].text)
      #expect(link != short && !"\(share)".contains(link))
      // It admits an account without a proven address.
      _ = try await testService.accounts.signUp(
        name: "robert", password: TestService.password, from: nil)
      var browser = try InvitationBrowser(testService, String(link))
      try browser.signIn("robert")
      try browser.send("accept")
      #expect(browser.page.text.contains("Open in Application"), "\(browser.page)")
      // Neither further saves nor the acceptance send another one.
      _ = try save(ada, "forceUpdate", "bob@example.org", "carol@example.org")
      #expect(try await postbox.next().address == "carol@example.org")
      #expect(postbox.sent.map(\.address) == ["bob@example.org", "carol@example.org"])
    }
  }

  @Test func `A user who is known by the address gets the ordinary link`() async throws {
    try await run { testService, ada in
      let bob = try await testService.user("bob@example.org")
      let share = try save(
        ada, "create",
        user:
          #"{"userIdentity":{"userRecordName":"\#(bob.userRecordName)","#
          + #""lookupInfo":{"emailAddress":"bob@example.org"}}}"#
      )
      let mail = try await postbox.next()
      #expect(mail.text.contains("/share/\(share["shortGUID"].text ?? "?")\n"))
      #expect(mail.text.contains("able to see it"))
    }
  }

  @Test func `A failed or rejected mail is reported, and does not fail the save`() async throws {
    postbox.fail(with: .failed("No route to host."), .rejected("There is no such mailbox."))
    try await run { testService, ada in
      _ = try save(ada, "create", "bob@example.org")
      _ = try await postbox.next()
      _ = try save(ada, "forceUpdate", "bob@example.org", "missing@example.org")
      #expect(try await postbox.next().address == "missing@example.org")
      #expect(postbox.sent.isEmpty)
    }
    #expect(
      reports.all == [
        "An invitation was not sent: No route to host.",
        "An invitation was not sent: There is no such mailbox.",
      ])
  }

  @Test func `A server without mail sends none`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada@example.com")
      try ada.ask(
        "private", "zones/modify",
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
      _ = try save(ada, "create", "bob@example.org")
      let count = try await MailDelivery(testService.server.service.server).run { _ in .sent }
      #expect(count == 0)
    }
  }

  @Test func `Texts of the share cannot add lines to the subject`() async throws {
    try await run { _, ada in
      _ = try save(
        ada, "create", "bob@example.org", title: "A\r\nBcc: eve@example.com\u{202E}")
      let mail = try await postbox.next()
      #expect(mail.subject == "A user invites you to share “A  Bcc: eve@example.com ”")
    }
  }
}
