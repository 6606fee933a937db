package import HTTPServer

/// What browsers are told about pages of other origins.
///
/// Credentials are in the address or in headers that a page must know, never in cookies: so any origin may ask, and the origins that an API token
/// allows are checked where the token is.
package enum CrossOrigin {
  /// The headers that a page may read besides the simple ones.
  private static let exposed = "X-Apple-CloudKit-Web-Auth-Token, X-Apple-CloudKit-Session, X-Request-ID, Retry-After"

  /// Adds what every answer to a page needs.
  package static func allow(_ origin: String?, in headers: inout HTTPHeaders) {
    guard let origin else { return }
    headers.append("Access-Control-Allow-Origin", origin)
    headers.append("Vary", "Origin")
    headers.append("Access-Control-Expose-Headers", exposed)
  }

  /// Answers the question that a browser asks before it sends what is not simple.
  package static func preflight(origin: String?, requestedHeaders: String?) -> HTTPResponse {
    var headers: HTTPHeaders = [:]
    allow(origin, in: &headers)
    headers.append("Access-Control-Allow-Methods", "GET, POST, PUT, OPTIONS")
    if let requestedHeaders { headers.append("Access-Control-Allow-Headers", requestedHeaders) }
    headers.append("Access-Control-Max-Age", "86400")
    return HTTPResponse(.noContent, headers: headers)
  }
}
