package import HTTPServer

/// What browsers are told about pages of other origins.
///
/// Credentials are in the address or in headers that a page must know, never in cookies: so any
/// origin may ask, and the origins that an API token allows are checked where the token is.
package enum CrossOrigin {
  /// The headers that a page may read besides the simple ones.
  private static let exposed =
    "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID, X-Request-ID, Retry-After, Content-Range, ETag"

  /// Adds what every answer to a page needs.
  package static func allow(_ origin: String?, in headers: inout HTTPHeaders) {
    guard let origin else { return }
    headers.append("Access-Control-Allow-Origin", origin)
    headers.append("Vary", "Origin")
    headers.append("Access-Control-Expose-Headers", exposed)
  }

  /// Adds what every answer has that is given before it is known who asks: any page may read what
  /// is wrong with its request.
  ///
  /// Whether there is an origin was not read; none would be refused.
  static func allowAll(in headers: inout HTTPHeaders) {
    headers.append("Access-Control-Allow-Origin", "*")
    headers.append("Access-Control-Expose-Headers", exposed)
  }

  /// Answers the question that a browser asks before it sends what is not simple, and what else
  /// asks for methods.
  static func preflight(_ request: HTTPRequest, methods: [HTTPMethod]) -> HTTPResponse {
    let allowed = (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    var headers: HTTPHeaders = ["Allow": allowed]
    guard request.headers.contains("origin") else {
      return HTTPResponse(.noContent, headers: headers)
    }
    headers.append("Access-Control-Allow-Methods", allowed)
    if let wanted = request.headers["access-control-request-headers"] {
      // A page cannot be a development user.
      let allowed = wanted.split(separator: ",").filter {
        !$0.lowercased().contains(RecordService.developmentUserField.lowercased())
      }
      headers.append("Access-Control-Allow-Headers", allowed.joined(separator: ","))
    }
    headers.append("Access-Control-Max-Age", "86400")
    return HTTPResponse(.noContent, headers: headers)
  }
}
