import CloudRecords
import Foundation
import HTTPServer
import RecordServer
import RecordServerHTTP
import Testing

/// The fixed limits in the reference, which are written by hand.
///
/// Sizes of heads and lists are not compared: their constants are internal to their modules.
@Suite("Fixed limits of the documentation") struct FixedLimitTests {
  private static let page = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appendingPathComponent("Documentation/Server/Reference.md")

  private let accounts = AccountSettings()
  private let limits = ServiceLimits()
  private let timeouts = HTTPTimeouts()

  @Test func `The limits agree with the code`() throws {
    try expectRows([
      ("password", "\(accounts.minimumPasswordCharacters) characters at least"),
      ("sessions of an account", "\(accounts.sessionsPerAccount); the oldest ends"),
      ("failed sign-ins for a name", Self.text(of: accounts.attemptsByName)),
      (
        "failed sign-ins and sign-ups for a network address (an IPv6 /64)",
        Self.text(of: accounts.attemptsByAddress)
      ),
      ("a text whose words a query searches", "\(ServerLimits.searchedTextBytes >> 10) KB"),
      ("a continuation marker", "\(ServerLimits.markerBytes >> 20) MB"),
      (
        "notifications of one change to a user",
        "\(ServerLimits.notificationsOfChange); the last one says that there are more"
      ),
    ])
  }

  @Test func `The times of accounts and sessions agree with the code`() throws {
    try expectRows([
      ("an idle session", "\(accounts.idleSeconds / 60) minutes"),
      (
        "an idle session with \"stay signed in\", or of `token create --user` or `user token`",
        "\(accounts.keptSeconds / 86_400) days"
      ),
      ("a web token before it is replaced", "\(accounts.rotationSeconds / 60) minutes"),
      (
        "a replaced web token, after its successor's first use",
        "\(accounts.graceSeconds / 60) minutes"
      ),
      (
        "clock difference of a signed request, at most",
        "\(accounts.signatureSeconds / 60) minutes"
      ),
      ("an invitation code", "\(accounts.invitationSeconds / 86_400) days"),
    ])
  }

  @Test func `The times of files and devices agree with the code`() throws {
    let address = limits.assetAddressSeconds / 60
    let round: Double = CloudServer.Configuration().round / Duration.seconds(1)
    try expectRows([
      ("an upload address", "\(address) minutes"),
      ("a download address", "\(address * 3 / 4) to \(address) minutes"),
      ("an uploaded file without a record", "\(limits.assetReceiptSeconds / 86_400) day"),
      ("a file whose last record was deleted", "about \(address) minutes"),
      (
        "a device that neither listens nor renews its token",
        "\(limits.deviceSeconds / 86_400) days"
      ),
      ("an empty response to a waiting device", "\(round) to \(Int(2 * round)) seconds"),
    ])
  }

  @Test func `The times of connections agree with the code`() throws {
    let period = timeouts.pacePeriod.components.seconds
    let least = timeouts.minimalBytesPerPeriod >> 10
    let shortage = Double(timeouts.minimalBytesPerPeriodInShortage) / 1_048_576
    try expectRows([
      ("sending a request's head", "\(timeouts.head.components.seconds) s"),
      ("an idle connection", "\(timeouts.idle.components.seconds) s"),
      ("the slowest body", "\(least) KB in \(period) s; while memory is short \(shortage) MB"),
      (
        "the slowest reader of a response",
        "\(10 * least) KB in \(period) s; while its memory is short \(shortage) MB"
      ),
    ])
  }

  private static func text(of rate: AttemptRate) -> String {
    "\(rate.atOnce), then one in \(rate.microsecondsForEach / 1_000_000) seconds"
  }

  /// Expects that the page has each row.
  private func expectRows(_ rows: [(what: String, limit: String)]) throws {
    let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
    for row in rows {
      let line = "| \(row.what) | \(row.limit) |"
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }
}
