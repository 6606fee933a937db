import Foundation
import HTTPServer

/// A request at the callback port, classified.
package enum SignInRedirect: Equatable {
  /// A redirect with a token and the right state.
  case token(String)
  /// A forged or malformed request, which no redirect of the sign-in page produces.
  case forged
  /// Another request that browsers make by themselves, such as for an icon.
  case unrelated

  /// Classifies a request.
  ///
  /// - Parameters:
  ///   - host: The `Host` header. A web page can point its own host name at this machine, but
  ///     then the browser sends that name and not 127.0.0.1.
  ///   - proof: The state that was sent to the sign-in page.
  package init(isGet: Bool, host: String?, query: String?, proof: String) {
    guard isGet, host?.hasPrefix("127.0.0.1:") == true else {
      self = .forged
      return
    }
    var parts = URLComponents()
    parts.percentEncodedQuery = Self.isPlain(query) ? query : nil
    let items = parts.queryItems ?? []
    guard items.contains(where: { $0.name == "ckWebAuthToken" }) else {
      self = .unrelated
      return
    }
    let (tokens, proofs) = (Self.values("ckWebAuthToken", items), Self.values("ckState", items))
    guard tokens.count == 1, proofs == [proof], !tokens[0].isEmpty else {
      self = .forged
      return
    }
    self = .token(tokens[0])
  }

  private static func values(_ name: String, _ items: [URLQueryItem]) -> [String] {
    items.filter { $0.name == name }.map { $0.value ?? "" }
  }

  /// Whether `URLComponents` can parse the query safely.
  ///
  /// `URLComponents` traps on some malformed queries.
  private static func isPlain(_ query: String?) -> Bool {
    guard let query, query.utf8.count <= AccountLimits.callbackBytes else { return false }
    let marks = Set("-._~=&%+".utf8)
    var rest = query.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst(), let low = rest.popFirst(), isHexadecimal(high),
          isHexadecimal(low)
        else {
          return false
        }
      } else if !marks.contains(byte), !isAlphanumeric(byte) {
        return false
      }
    }
    return true
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    Character(UnicodeScalar(byte)).isHexDigit
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  // MARK: Responses

  var response: HTTPResponse {
    switch self {
    case .token: Self.page(.ok, "You are signed in, and can close this window.")
    case .forged:
      Self.page(
        .forbidden, "This request did not come from the sign-in page. Start again in the app.")
    case .unrelated: HTTPResponse(.notFound, text: "There is nothing here.\n")
    }
  }

  private static func page(_ status: HTTPStatus, _ sentence: String) -> HTTPResponse {
    HTTPResponse(page: "Sign In", status, sentence)
  }
}

extension HTTPResponse {
  /// Creates a page of one sentence, which the browser shows after it called a program.
  init(page title: String, _ status: HTTPStatus, _ sentence: String) {
    self.init(
      status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
      ],
      body: .bytes(
        Array(
          """
          <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>\(title)</title>\
          <p>\(sentence)</p></html>

          """.utf8)))
  }
}
