import RecordServerHTTP
import TestSupport
import Testing

/// A browser that shows a form of the server.
struct Browser {
  let client: WebClient
  let target: String
  var cookie: String
  var proof: String
  /// The header field in which a proxy names the browser's address.
  private let forwarded: String

  /// Opens a page.
  init(
    _ testService: TestService, _ page: Route.Page = .signIn, apiToken: String? = nil,
    from address: String? = nil
  ) throws {
    client = try testService.client()
    target = "\(page.path)?ckAPIToken=\(apiToken ?? testService.apiToken)"
    forwarded = address.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
    let reply = try client.get(target, forwarded)
    #expect(reply.status == 200)
    cookie = String(reply.fields["set-cookie"]?.prefix { $0 != ";" } ?? "")
    proof = Self.part(of: reply.text, after: #"name="proof" value=""#)
  }

  static func part(of text: String, after start: String) -> String {
    guard let range = text.firstRange(of: start) else { return "" }
    return String(text[range.upperBound...].prefix { $0 != "\"" && $0 != "'" })
  }

  func send(_ fields: String, _ more: String = "Sec-Fetch-Site: same-origin\r\n") throws -> Reply {
    try client.post(
      target, "proof=\(proof)&\(fields)",
      "Content-Type: application/x-www-form-urlencoded\r\n\(cookie.isEmpty ? "" : "Cookie: a=b; \(cookie)\r\n")\(forwarded)\(more)"
    )
  }
}
