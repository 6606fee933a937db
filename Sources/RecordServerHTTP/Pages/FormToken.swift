import Cryptography
import HTTPServer
import RecordServer

/// Proves that a form comes from a page of this server in the same browser (against CSRF).
///
/// The browser keeps a random text in a cookie that no page can read. The form carries a code of
/// that text, which only the server can create. Another site can make the browser send a form, but
/// it neither knows a valid code nor can set the cookie.
struct FormToken {
  /// The value of the browser's cookie.
  let cookie: String
  let isNew: Bool
  private let isSecure: Bool

  /// Takes the cookie of the request, or creates a new one.
  init(_ request: HTTPRequest, isSecure: Bool) {
    self.isSecure = isSecure
    let known = Self.cookie(named: Self.name(isSecure), in: request)
    isNew = known == nil
    cookie = known ?? Self.random
  }

  /// The code that the form carries.
  func code(_ accounts: Accounts, apiToken: String) -> String {
    accounts.formCode(for: text(apiToken))
  }

  private func text(_ apiToken: String) -> String { "\(cookie) \(apiToken)" }

  /// Whether a form comes from a page of this server.
  func isGood(_ fields: FormFields, _ request: HTTPRequest, _ accounts: Accounts, apiToken: String)
    -> Bool
  {
    if let site = request.headers["sec-fetch-site"], site != "same-origin" { return false }
    guard !isNew, let sent = fields["proof"] else { return false }
    return accounts.isFormCode(sent, for: text(apiToken))
  }

  /// The `Set-Cookie` header field.
  ///
  /// A link on another site, such as a web mail, sends the cookie too. Otherwise the server would
  /// replace the cookie, and forms that are open in other tabs would expire.
  var field: String {
    "\(Self.name(isSecure))=\(cookie); Path=/; Max-Age=3600; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
  }

  /// An unpredictable text.
  static var random: String {
    String(SecureRandom.bytes(16).flatMap { [$0 >> 4, $0 & 15] }.map { digits[Int($0)] })
  }

  private static let digits = Array("0123456789abcdef")

  /// The cookie's name.
  ///
  /// Browsers accept the longer name only from the same host and over TLS.
  private static func name(_ isSecure: Bool) -> String {
    isSecure ? "__Host-parhelion-form" : "parhelion-form"
  }

  private static func cookie(named name: String, in request: HTTPRequest) -> String? {
    for field in request.headers.values(of: "cookie") {
      for part in field.split(separator: ";") {
        let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if pair.count == 2, pair[0] == name, pair[1].utf8.count == 32,
          pair[1].allSatisfy(digits.contains)
        {
          return String(pair[1])
        }
      }
    }
    return nil
  }
}
