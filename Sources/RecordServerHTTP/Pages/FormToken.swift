import Cryptography
import HTTPServer
import RecordServer

/// Proves that a form was filled in on a page of this server, in the browser that sends it.
///
/// The browser keeps a random text in a cookie that no page can read; the form carries a code of it
/// that only the server can make. Another site can make a browser send a form, but neither knows
/// such a code nor can set the cookie.
struct FormToken {
  /// What the browser keeps.
  let cookie: String
  let isNew: Bool
  private let isSecure: Bool

  /// The cookie that the request brings, or a new one.
  init(_ request: HTTPRequest, isSecure: Bool) {
    self.isSecure = isSecure
    let known = Self.cookie(named: Self.name(isSecure), in: request)
    isNew = known == nil
    cookie = known ?? Self.random
  }

  /// What the form carries.
  func code(_ accounts: Accounts, apiToken: String) -> String {
    accounts.formCode(for: text(apiToken))
  }

  private func text(_ apiToken: String) -> String { "\(cookie) \(apiToken)" }

  /// Whether a form is one of this server's, sent by a page of it.
  func isGood(_ fields: FormFields, _ request: HTTPRequest, _ accounts: Accounts, apiToken: String)
    -> Bool
  {
    if let site = request.headers["sec-fetch-site"], site != "same-origin" { return false }
    guard !isNew, let sent = fields["proof"] else { return false }
    return accounts.isFormCode(sent, for: text(apiToken))
  }

  /// The header field that lets the browser keep the cookie.
  var field: String {
    "\(Self.name(isSecure))=\(cookie); Path=/; Max-Age=3600; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  /// A text that nobody can guess.
  static var random: String {
    String(SecureRandom.bytes(16).flatMap { [$0 >> 4, $0 & 15] }.map { digits[Int($0)] })
  }

  private static let digits = Array("0123456789abcdef")

  /// Browsers take the long name only from this very host, and only through TLS.
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
