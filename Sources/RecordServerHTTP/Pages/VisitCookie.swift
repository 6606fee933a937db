import HTTPServer
import RecordServer

/// The cookie of a person who has signed in to the server's own pages.
///
/// Only the pages of invitations read it: other routes take credentials that no browser sends by
/// itself. Browsers send it with links from other sites too, so forms also need a `FormToken`.
enum VisitCookie {
  /// The text of the cookie in a request; nil if there is none.
  static func text(_ request: HTTPRequest, isSecure: Bool) -> String? {
    let name = name(isSecure)
    for field in request.headers.values(of: "cookie") {
      for part in field.split(separator: ";") {
        let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if pair.count == 2, pair[0] == name, pair[1].utf8.count <= longest {
          return String(pair[1])
        }
      }
    }
    return nil
  }

  /// The `Set-Cookie` header field that starts a visit, or ends it without a text.
  static func field(_ text: String?, isSecure: Bool) -> String {
    let age = text == nil ? 0 : Visits.seconds
    let protection = isSecure ? "; Secure" : ""
    return "\(name(isSecure))=\(text ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Lax"
      + protection
  }

  /// The cookie's name.
  ///
  /// Browsers accept the longer name only from the same host and over TLS.
  private static func name(_ isSecure: Bool) -> String {
    isSecure ? "__Host-parhelion-visit" : "parhelion-visit"
  }

  private static let longest = 256
}
