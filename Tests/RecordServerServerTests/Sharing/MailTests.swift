import CloudRecords
import CloudWire
import RecordServer
import Synchronization
import Testing

@Suite("Queued mails")
struct MailTests {
  private let cloud = Cloud(sendsMail: true)

  /// Ada, who shares a zone.
  private func share(_ people: String...) async throws -> Client {
    let ada = try await cloud.user("_ada")
    _ = try await ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    _ = try await set(ada, "create", people)
    return ada
  }

  @discardableResult
  private func set(_ ada: Client, _ kind: String, _ people: [String]) async throws -> Reply {
    let list = people.map { #"{"userIdentity":{"lookupInfo":{"emailAddress":"\#($0)"}}}"# }
    let reply = try await ada.modify(
      zone: "Z",
      (
        kind,
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","#
          + #""participants":[\#(list.joined(separator: ","))]"#
      ))
    #expect(reply["records"][0]["shortGUID"].text != nil, "\(reply)")
    return reply["records"][0]
  }

  /// The addresses to which mails are sent now, each with the outcome.
  private func deliver(_ outcome: MailOutcome = .sent) async throws -> [String] {
    let addresses = Mutex<[String]>([])
    try await MailDelivery(cloud.server).run { mail in
      addresses.withLock { $0.append(mail.address) }
      return outcome
    }
    return addresses.withLock(\.self)
  }

  @Test func `Each invitation is sent once`() async throws {
    let ada = try await share("b@example.com", "c@example.com")
    #expect(Set(try await deliver()) == ["b@example.com", "c@example.com"])
    #expect(try await deliver().isEmpty)
    try await set(ada, "forceUpdate", ["b@example.com", "c@example.com"])
    #expect(try await deliver().isEmpty)
    // A person who is removed and invited again gets another mail.
    try await set(ada, "forceUpdate", ["c@example.com"])
    try await set(ada, "forceUpdate", ["b@example.com", "c@example.com"])
    #expect(try await deliver() == ["b@example.com"])
  }

  @Test func `Withdrawn invitations and those of an ended share are not sent`() async throws {
    let ada = try await share("b@example.com", "c@example.com")
    try await set(ada, "forceUpdate", ["c@example.com"])
    #expect(try await deliver() == ["c@example.com"])
    try await set(ada, "forceUpdate", ["c@example.com", "d@example.com"])
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"cloudkit.zoneshare""#))
    #expect(try await deliver().isEmpty)
  }

  @Test func `An accepted invitation is not sent`() async throws {
    let ada = try await share("b@example.com")
    let bob = try await cloud.user("_bob")
    var user = StoredUser(identity: UserIdentity(userRecordName: "_bob"))
    user.provenAddresses = [.emailAddress("b@example.com")]
    try await cloud.server.saveUser(user, named: "_bob", in: bob.realm)
    let sent = try await set(ada, "forceUpdate", ["b@example.com"])
    let link = try #require(sent["shortGUID"].text)
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
    #expect(joined["participantStatus"].text == "ACCEPTED", "\(joined)")
    #expect(try await deliver().isEmpty)
  }

  @Test func `A rejected batch sends no mail`() async throws {
    let ada = try await share()
    let list = #"{"userIdentity":{"lookupInfo":{"emailAddress":"b@example.com"}}}"#
    let reply = try await ada.modify(
      zone: "Z",
      (
        "update",
        #""recordName":"cloudkit.zoneshare","recordChangeTag":"x","participants":[\#(list)]"#
      ))
    #expect(reply["records"][0]["serverErrorCode"].text == "CONFLICT", "\(reply)")
    #expect(try await deliver().isEmpty)
  }

  @Test func `A mail whose attempt was cancelled stays due`() async throws {
    _ = try await share("b@example.com")
    let (begun, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let server = cloud.server
    let attempt = Task {
      try await MailDelivery(server).run { _ in
        begun.continuation.yield()
        // It ends when the task is cancelled.
        _ = await ended.stream.first { _ in true }
        return .failed("The server stops.")
      }
    }
    _ = await begun.stream.first { _ in true }
    attempt.cancel()
    #expect(try await attempt.value == 0)
    #expect(try await deliver() == ["b@example.com"])
  }

  @Test func `Failed mails are retried with a growing back-off, for three days`() async throws {
    _ = try await share("b@example.com")
    var waits: [Int64] = []
    var (waited, total): (Int64, Int64) = (0, 0)
    #expect(try await deliver(.failed("no")) == ["b@example.com"])
    while total < 4 * 86_400 {
      cloud.pass(seconds: 60)
      (waited, total) = (waited + 60, total + 60)
      guard try await !deliver(.failed("no")).isEmpty else { continue }
      waits.append(waited)
      waited = 0
    }
    #expect(waits.prefix(8) == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    #expect(waits.reduce(0, +) >= 3 * 86_400 && waits.reduce(0, +) < 3 * 86_400 + 3_700)
    #expect(try await deliver().isEmpty)
  }

  @Test func `A rejected mail is not retried`() async throws {
    _ = try await share("b@example.com")
    #expect(try await deliver(.rejected("no")) == ["b@example.com"])
    cloud.pass(seconds: 86_400)
    #expect(try await deliver().isEmpty)
  }

  // MARK: Limits

  /// Ada, whose share may have hundreds of participants.
  private func hostOfMany() async throws -> Client {
    var limits = ServiceLimits()
    limits.participantsPerShare = 400
    let ada = try await Cloud(limits: limits, sendsMail: true).user("_ada")
    try await ada.makeZone("Z")
    return ada
  }

  private func guests(_ count: Int) -> [String] {
    (0..<count).map { "guest\($0)@example.com" }
  }

  @Test func `Invitations above a hundred a day are sent on the following days`() async throws {
    let ada = try await hostOfMany()
    let delivery = MailDelivery(ada.cloud.server)
    try await set(ada, "create", guests(150))
    #expect(try await delivery.run { _ in .sent } == 100)
    ada.cloud.pass(seconds: 86_400)
    // New invitations share the day with those that waited for it.
    try await set(ada, "forceUpdate", guests(250))
    #expect(try await delivery.run { _ in .sent } == 100)
    ada.cloud.pass(seconds: 86_400)
    #expect(try await delivery.run { _ in .sent } == 50)
    ada.cloud.pass(seconds: 86_400)
    #expect(try await delivery.run { _ in .sent } == 0)
  }

  @Test func `An invitation that waited for its day is retried as well`() async throws {
    let ada = try await hostOfMany()
    let delivery = MailDelivery(ada.cloud.server)
    try await set(ada, "create", guests(310))
    for _ in 0..<3 {
      #expect(try await delivery.run { _ in .sent } == 100)
      ada.cloud.pass(seconds: 86_400)
    }
    #expect(try await delivery.run { _ in .failed("no") } == 0)
    ada.cloud.pass(seconds: 60)
    #expect(try await delivery.run { _ in .sent } == 10)
  }
}
