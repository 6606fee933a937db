import Foundation
import RecordServerHTTP
import TestSupport
import Testing

/// A browser at the address of a share: it keeps cookies, and sends the page's forms.
struct InvitationBrowser {
  let client: WebClient
  var target: String
  private var cookies: [String: String] = [:]
  /// The names of cookies that the browser does not send when it follows a link on another site.
  private var strictCookies: Set<String> = []
  /// The last page.
  private(set) var page: Reply

  /// Whether it loads the page that an answer leads to.
  private let followsPages: Bool

  init(
    _ testService: TestService, _ name: String, _ query: String = "", followsPages: Bool = true
  ) throws {
    self.followsPages = followsPages
    client = try testService.client()
    target = "/share/\(name)\(query)"
    page = try client.get(target)
    keepCookies()
  }

  private mutating func keepCookies() {
    for line in (page.fields["set-cookie"] ?? "").split(separator: "\n") {
      let pair = line.prefix { $0 != ";" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { continue }
      let name = String(pair[0])
      cookies[name] = pair[1].isEmpty ? nil : String(pair[1])
      if line.contains("SameSite=Strict") { strictCookies.insert(name) }
    }
  }

  private var cookieField: String { Self.field(cookies) }

  private static func field(_ cookies: [String: String]) -> String {
    let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return pairs.isEmpty ? "" : "Cookie: \(pairs.joined(separator: "; "))\r\n"
  }

  /// Whether the browser has a cookie for a person.
  var isSignedIn: Bool { cookies.keys.contains { $0.hasSuffix("parhelion-visit") } }

  mutating func load() throws {
    page = try client.get(target, cookieField)
    keepCookies()
  }

  /// Follows a link on another site in a second tab.
  ///
  /// This tab keeps its page.
  mutating func followLink(to target: String) throws {
    let shown = page
    page = try client.get(target, Self.field(cookies.filter { !strictCookies.contains($0.key) }))
    keepCookies()
    page = shown
  }

  /// Sends a form of the page, and follows the page that it leads to.
  ///
  /// - Parameter omitted: A hidden field that the browser does not send.
  mutating func send(
    _ action: String, _ fields: [String: String] = [:], without omitted: String? = nil,
    site: String = "same-origin"
  ) throws {
    let proof = Browser.part(of: page.text, after: #"name="proof" value=""#)
    let version = Browser.part(of: page.text, after: #"name="version" value=""#)
    var all = fields
    (all["proof"], all["action"]) = (proof, action)
    if all["version"] == nil { all["version"] = version }
    if let omitted { all[omitted] = nil }
    let body = all.map { "\($0.key)=\(Self.encoded($0.value))" }.joined(separator: "&")
    page = try client.post(
      target, body,
      "Content-Type: application/x-www-form-urlencoded\r\n\(cookieField)Sec-Fetch-Site: \(site)\r\n"
    )
    keepCookies()
    guard followsPages, page.status == 303, let location = page.fields["location"],
      location.hasPrefix("/")
    else {
      return
    }
    target = location
    try load()
  }

  mutating func signIn(_ name: String) throws {
    try send("sign-in", ["name": name, "password": TestService.password])
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}
