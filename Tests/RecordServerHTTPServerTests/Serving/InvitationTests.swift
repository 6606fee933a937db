import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Invitation pages", .blockingThreads, .endsAtAll)
struct InvitationTests {
  private static let image =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="

  /// Ada, who shares a zone, and the short name of the share.
  private func share(
    _ testService: TestService, _ more: String = "", title: String = "Summer in the Alps"
  ) async throws -> (ada: WebClient, name: String) {
    let ada = try await testService.user("ada@example.com")
    try ada.ask(
      "private", "zones/modify",
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    let text = String(decoding: try JSONEncoder().encode(title), as: UTF8.self)
    let saved = try ada.ask(
      "private", "records/modify",
      #"{"operations":[{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","#
        + #""recordType":"cloudkit.share","fields":{"cloudkit.title":{"value":\#(text)},"#
        + #""cloudkit.thumbnailImageData":{"value":"\#(Self.image)","type":"BYTES"}}\#(more)}}],"#
        + #""zoneID":{"zoneName":"Z"}}"#
    )
    return (ada, try #require(saved["records"][0]["shortGUID"].text, "\(saved)"))
  }

  private func participants(_ ada: WebClient) throws -> [String] {
    let shown = try ada.ask(
      "private", "records/lookup",
      #"{"records":[{"recordName":"cloudkit.zoneshare"}],"zoneID":{"zoneName":"Z"}}"#)
    return shown["records"][0]["participants"].list.dropFirst().map { one in
      let identity = one["userIdentity"]
      let name = identity["lookupInfo"]["emailAddress"].text ?? "-"
      let words = ["type", "permission", "acceptanceStatus"].map { one[$0].text ?? "?" }
      return ([name] + words).joined(separator: " ")
    }
  }

  private static let invited =
    #","participants":[{"userIdentity":{"lookupInfo":{"emailAddress":"bob@example.com"}},"#
    + #""permission":"READ_WRITE"}]"#

  // MARK: Before signing in

  @Test func `Every address shows the same page to a person who has not signed in`() async throws {
    try await TestService.run { testService in
      let (_, name) = try await share(testService, Self.invited)
      let shown = try testService.client().get("/share/\(name)")
      let nowhere = try testService.client().get("/share/0123456789abcdef")
      func plain(_ reply: Reply, _ name: String) -> String {
        let proof = Browser.part(of: reply.text, after: #"name="proof" value=""#)
        let nonce = Browser.part(of: reply.text, after: #"<style nonce=""#)
        return [name, proof, nonce].reduce(reply.text) { $0.replacing($1, with: "…") }
      }
      #expect(shown.status == 200 && plain(shown, name) == plain(nowhere, "0123456789abcdef"))
      #expect(!shown.text.contains("Summer") && shown.text.contains("Sign in"))
      #expect(shown.fields["content-type"] == "text/html; charset=utf-8")
      #expect(shown.fields["content-security-policy"]?.contains("default-src 'none'") == true)
      #expect(try testService.client().get("/share/\(name)", method: "HEAD").status == 200)
      #expect(!testService.log.all.joined().contains(name))
    }
  }

  @Test func `Only forms of this page in this browser are carried out`() async throws {
    try await TestService.run { testService in
      let (ada, name) = try await share(testService, Self.invited)
      _ = try await testService.accounts.signUp(
        name: "bob@example.com", password: TestService.password, from: nil)
      var browser = try InvitationBrowser(testService, name)
      try browser.send(
        "sign-in", ["name": "bob@example.com", "password": TestService.password],
        site: "cross-site")
      #expect(browser.page.status == 403 && !browser.isSignedIn)
      try browser.signIn("bob@example.com")
      #expect(browser.isSignedIn && browser.page.status == 200, "\(browser.page)")
      for site in ["cross-site", "same-site", "none"] {
        try browser.send("accept", site: site)
        #expect(browser.page.status == 403)
      }
      // A form of another share's page does not count.
      var other = browser
      other.target = "/share/0123456789abcdef"
      try other.send("accept")
      #expect(other.page.status == 403)
      #expect(try participants(ada) == ["bob@example.com USER READ_WRITE INVITED"])
      try browser.send("unknown")
      #expect(browser.page.status == 400)
    }
  }

  @Test func `A form stays valid while a link on another site opens another invitation`()
    async throws
  {
    try await TestService.run { testService in
      _ = try await testService.accounts.signUp(
        name: "bob", password: TestService.password, from: nil)
      var browser = try InvitationBrowser(testService, "0123456789abcdef")
      try browser.followLink(to: "/share/fedcba9876543210")
      try browser.signIn("bob")
      #expect(browser.isSignedIn, "\(browser.page)")
    }
  }

  @Test func `A wrong password is rejected, and a person can create an account`() async throws {
    try await TestService.run { testService in
      let (_, name) = try await share(testService, #","publicPermission":"READ_ONLY""#)
      var browser = try InvitationBrowser(testService, name)
      try browser.send("sign-in", ["name": "eve", "password": "wrong password"])
      #expect(browser.page.status == 401 && browser.page.text.contains("password is wrong"))
      #expect(browser.page.text.contains("account=new"))
      browser.target = "/share/\(name)?account=new"
      try browser.load()
      #expect(browser.page.text.contains("Create Account"))
      try browser.send(
        "sign-up", ["name": "eve", "password": TestService.password, "given": "Eve"])
      #expect(browser.isSignedIn && browser.page.text.contains("Summer in the Alps"))
    }
    try await TestService.run {
      $0.accounts.signUp = .closed
    } _: { testService in
      var browser = try InvitationBrowser(testService, "0abc", "?account=new")
      #expect(!browser.page.text.contains("Create"))
      try browser.send("sign-up", ["name": "eve", "password": TestService.password])
      #expect(browser.page.status == 403 && !browser.isSignedIn)
    }
  }

  // MARK: Accepting

  @Test func `An invited person sees the invitation, accepts it, and stops taking part`()
    async throws
  {
    try await TestService.run {
      $0.accounts.trustsNewAddresses = true
    } _: { testService in
      let (ada, name) = try await share(testService, Self.invited)
      let bob = try await testService.user("bob@example.com")
      var browser = try InvitationBrowser(testService, name)
      try browser.signIn("bob@example.com")
      let shown = browser.page.text
      #expect(shown.contains("<h1>Summer in the Alps</h1>") && shown.contains("see and change"))
      #expect(shown.contains("src=\"data:image/png;base64,\(Self.image)\""))
      #expect(
        browser.page.fields["content-security-policy"]?.contains("img-src data:;") == true)
      #expect(!shown.contains("Open in Application") && !shown.contains("Stop Sharing"))
      try browser.send("accept")
      #expect(browser.page.text.contains("Open in Application"))
      #expect(try participants(ada) == ["bob@example.com USER READ_WRITE ACCEPTED"])
      #expect(try bob.ask("shared", "zones/list")["zones"].list.count == 1)
      // Participants cannot manage the share.
      try browser.send("access", ["permission": "READ_WRITE"])
      #expect(browser.page.status == 403)
      try browser.send("stop")
      #expect(browser.page.status == 403)
      try browser.send("leave")
      #expect(browser.page.status == 404 && browser.page.text.contains("nothing for you"))
      #expect(try participants(ada).isEmpty)
      try browser.send("sign-out")
      #expect(!browser.isSignedIn && browser.page.text.contains("Sign in to see"))
      try browser.send("accept")
      #expect(browser.page.status == 401)
    }
  }

  @Test func `A share that does not concern a person looks like one that does not exist`()
    async throws
  {
    try await TestService.run { testService in
      let (_, name) = try await share(testService, Self.invited)
      _ = try await testService.user("eve@example.com")
      var (there, nowhere) = (
        try InvitationBrowser(testService, name), try InvitationBrowser(testService, "0123456789ab")
      )
      try there.signIn("eve@example.com")
      try nowhere.signIn("eve@example.com")
      func plain(_ browser: InvitationBrowser, _ name: String) -> String {
        let text = browser.page.text
        let proof = Browser.part(of: text, after: #"name="proof" value=""#)
        let nonce = Browser.part(of: text, after: #"<style nonce=""#)
        return [name, proof, nonce].reduce(text) { $0.replacing($1, with: "…") }
      }
      #expect(there.page.status == 404 && nowhere.page.status == 404)
      #expect(plain(there, name) == plain(nowhere, "0123456789ab"))
      for action in ["accept", "request", "leave", "open", "stop", "invite"] {
        try there.send(action)
        #expect(there.page.status == 404, "\(action)")
      }
    }
  }

  @Test func `A person requests access, and the owner admits, denies and blocks`() async throws {
    try await TestService.run {
      $0.accounts.trustsNewAddresses = true
    } _: { testService in
      let (ada, name) = try await share(testService)
      let addresses = ["bob@example.com", "carol@example.com", "eve@example.com"]
      for address in addresses { _ = try await testService.user(address) }
      var owner = try InvitationBrowser(testService, name)
      try owner.signIn("ada@example.com")
      #expect(owner.page.text.contains("You share this."))
      try owner.send("requests", ["allowed": "1"])
      for address in addresses {
        var browser = try InvitationBrowser(testService, name)
        try browser.signIn(address)
        #expect(browser.page.text.contains("Request Access"))
        #expect(!browser.page.text.contains("<h2>People"))
        try browser.send("request")
        #expect(browser.page.status == 200, "\(browser.page)")
      }
      try owner.load()
      #expect(addresses.allSatisfy { owner.page.text.contains($0) })
      try owner.send("approve", ["person": "0", "permission": "READ_WRITE"])
      try owner.send("deny", ["person": "0"])
      try owner.send("block", ["person": "0"])
      #expect(owner.page.status == 200 && owner.page.text.contains("Unblock"), "\(owner.page)")
      #expect(try participants(ada) == ["bob@example.com USER READ_WRITE INVITED"])
      try owner.send("approve", ["person": "0"])
      #expect(owner.page.status == 400 && owner.page.text.contains("no longer in the list"))
      try owner.send("unblock", ["person": "0"])
      #expect(!owner.page.text.contains("Unblock"))
    }
  }

  // MARK: Managing

  @Test func `The owner manages people and access, and stops sharing`() async throws {
    try await TestService.run { testService in
      let (ada, name) = try await share(testService)
      var owner = try InvitationBrowser(testService, name)
      try owner.signIn("ada@example.com")
      try owner.send("invite", ["address": " bob@example.com ", "permission": "READ_WRITE"])
      try owner.send("invite", ["address": "no address"])
      #expect(owner.page.status == 400 && owner.page.text.contains("not an e-mail address"))
      try owner.send("one-time", ["permission": "READ_ONLY"])
      #expect(owner.page.text.contains("http://cloud.example/share/"))
      #expect(
        try participants(ada) == [
          "bob@example.com USER READ_WRITE INVITED", "- USER READ_ONLY INVITED",
        ])
      let first = Browser.part(of: owner.page.text, after: #"name="participant" value=""#)
      try owner.send("permission", ["participant": first, "permission": "READ_ONLY"])
      try owner.send("role", ["participant": first, "role": "ADMINISTRATOR"])
      #expect(try participants(ada).first == "bob@example.com ADMINISTRATOR READ_ONLY INVITED")
      try owner.send("remove", ["participant": first])
      try owner.send("remove", ["participant": first])
      #expect(owner.page.status == 400 && owner.page.text.contains("no such participant"))
      try owner.send("access", ["permission": "READ_ONLY"])
      #expect(try participants(ada).isEmpty)
      #expect(!owner.page.text.contains("value=\"invite\""))
      try owner.send("access", ["permission": "NONE"])
      #expect(owner.page.text.contains("value=\"invite\""))
      // A page that shows an older version changes nothing.
      var second = owner
      try second.send("invite", ["address": "carol@example.com"])
      try owner.send("invite", ["address": "dora@example.com"])
      #expect(owner.page.status == 409 && owner.page.text.contains("changed meanwhile"))
      #expect(try participants(ada) == ["carol@example.com USER READ_ONLY INVITED"])
      try owner.send("stop")
      #expect(owner.page.status == 404)
      #expect(
        try ada.ask(
          "private", "records/lookup",
          #"{"records":[{"recordName":"cloudkit.zoneshare"}],"zoneID":{"zoneName":"Z"}}"#)[
            "records"][0]["serverErrorCode"].text == "NOT_FOUND")
    }
  }

  @Test func `A form without the version that the page showed does not stop sharing`()
    async throws
  {
    try await TestService.run { testService in
      let (ada, name) = try await share(testService, Self.invited)
      var owner = try InvitationBrowser(testService, name)
      try owner.signIn("ada@example.com")
      try owner.send("stop", without: "version")
      #expect(owner.page.status == 409 && owner.page.text.contains("changed meanwhile"))
      #expect(try participants(ada) == ["bob@example.com USER READ_WRITE INVITED"])
    }
  }

  @Test func `A link for one person admits the first who accepts`() async throws {
    try await TestService.run { testService in
      let (ada, name) = try await share(testService)
      for address in ["bob", "eve"] { _ = try await testService.user(address) }
      var owner = try InvitationBrowser(testService, name)
      try owner.signIn("ada@example.com")
      try owner.send("one-time")
      let links = owner.page.text.split(separator: "http://cloud.example/share/").dropFirst().map {
        String($0.prefix { $0 != "<" })
      }
      let link = try #require(links.first { $0 != name })
      var (first, second) = (
        try InvitationBrowser(testService, link), try InvitationBrowser(testService, link)
      )
      try first.signIn("bob")
      try second.signIn("eve")
      #expect(second.page.text.contains("Accept"))
      try first.send("accept")
      try second.send("accept")
      #expect(first.page.text.contains("Open in Application") && second.page.status == 404)
      #expect(try participants(ada).count == 1)
    }
  }

  @Test func `Titles and names cannot become markup`() async throws {
    try await TestService.run { testService in
      let (_, name) = try await share(
        testService, #","publicPermission":"READ_ONLY""#,
        title: #"<script>alert("1")</script>\#u{202E}x"#)
      var browser = try InvitationBrowser(testService, name)
      try browser.signIn("ada@example.com")
      #expect(!browser.page.text.contains("<script>"))
      #expect(
        browser.page.text.contains("&lt;script&gt;") && !browser.page.text.contains("\u{202E}"))
    }
  }

  @Test func `A disabled account and another password end visits`() async throws {
    try await TestService.run { testService in
      let (_, name) = try await share(testService)
      var browser = try InvitationBrowser(testService, name)
      try browser.signIn("ada@example.com")
      try browser.load()
      #expect(browser.page.text.contains("You share this."))
      try await testService.accounts.changePassword(
        ofAccount: "ada@example.com", from: TestService.password, to: "another password",
        address: nil)
      try browser.load()
      #expect(browser.page.text.contains("Sign in to see") && browser.page.status == 200)
      try browser.send("sign-in", ["name": "ada@example.com", "password": "another password"])
      #expect(browser.page.text.contains("You share this."))
      try await testService.accounts.disable(accountNamed: "ada@example.com")
      try browser.load()
      #expect(browser.page.text.contains("Sign in to see") && browser.page.status == 200)
    }
  }

  // MARK: Opening in an application

  /// The parameters of an address.
  private func parameters(_ address: String) -> [String: String] {
    let items = URLComponents(string: address.replacing("&amp;", with: "&"))?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  private func resolve(_ client: WebClient, _ name: String, _ token: String?) throws -> String? {
    let handover = token.map { #","handoverToken":"\#($0)""# } ?? ""
    let found = try client.ask(
      "public", "records/resolve", #"{"shortGUIDs":[{"value":"\#(name)"\#(handover)}]}"#)[
        "results"][0]
    return found["participantStatus"].text ?? found["serverErrorCode"].text
  }

  @Test func `A share is handed over once, to the page's user, for this share`() async throws {
    try await TestService.run { testService in
      let (ada, name) = try await share(testService, #","publicPermission":"READ_ONLY""#)
      let bob = try await testService.user("bob")
      var browser = try InvitationBrowser(testService, name)
      try browser.signIn("bob")
      try browser.send("accept")
      func open() throws -> String {
        try browser.load()
        try browser.send("open")
        let address = Browser.part(of: browser.page.text, after: #"class="button" href=""#)
        #expect(address.hasPrefix("parhelion-share:open?") && !address.contains("#"))
        let values = parameters(address)
        #expect(values["url"] == "http://cloud.example/share/\(name)")
        #expect(values["container"] == TestService.container.container)
        return try #require(values["handover"])
      }
      let token = try open()
      #expect(try resolve(ada, name, token) == "ACCESS_DENIED")
      #expect(try resolve(bob, name, "0123") == "ACCESS_DENIED")
      #expect(try resolve(bob, name, token) == "ACCEPTED")
      #expect(try resolve(bob, name, token) == "ACCESS_DENIED")
      let other = try open()
      #expect(try resolve(bob, "nowhere", other) == "ACCESS_DENIED")
      #expect(try resolve(bob, name, other) == "ACCESS_DENIED")
      let (former, last) = (try open(), try open())
      #expect(try resolve(bob, name, former) == "ACCESS_DENIED")
      #expect(try resolve(bob, name, last) == "ACCEPTED")
      #expect(try resolve(bob, name, nil) == "ACCEPTED")
    }
  }

  @Test func `A program that opened the page gets the share at its port, with its state`()
    async throws
  {
    try await TestService.run { testService in
      let (_, name) = try await share(testService)
      var browser = try InvitationBrowser(
        testService, name, "?ckCallbackPort=4321&ckState=abc123")
      try browser.signIn("ada@example.com")
      #expect(
        browser.page.fields["content-security-policy"]?
          .contains("form-action 'self' http://127.0.0.1:4321/share") == true)
      try browser.send("open")
      let location = try #require(browser.page.fields["location"])
      #expect(browser.page.status == 303 && location.hasPrefix("http://127.0.0.1:4321/share?"))
      let values = parameters(location)
      #expect(values["ckState"] == "abc123" && values["handover"]?.count == 32)
      // A port without a state, which any page could name, is not called.
      var bare = try InvitationBrowser(testService, name, "?ckCallbackPort=4321")
      try bare.signIn("ada@example.com")
      try bare.send("open")
      #expect(bare.page.status == 200 && bare.page.fields["location"] == nil)
    }
  }
}
