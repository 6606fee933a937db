package import HTTPServer

/// The cross-origin (CORS) header fields of responses.
///
/// Credentials are in the URL or in header fields that a page must know, never in cookies. So every
/// origin may send requests. The origins that an API token allows are checked with the token.
package enum CrossOrigin {
  /// The header fields that a page may read in addition to the simple ones.
  private static let exposed =
    "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID, X-Request-ID, Retry-After, Content-Range, ETag"

  /// Adds the header fields of every answer to a page.
  package static func allow(_ origin: String?, in headers: inout HTTPHeaders) {
    guard let origin else { return }
    headers.append("Access-Control-Allow-Origin", origin)
    headers.append("Vary", "Origin")
    headers.append("Access-Control-Expose-Headers", exposed)
  }

  /// Adds the header fields of an error for a client that is rejected before a handler runs.
  ///
  /// The origin of the request is not known, so every origin is allowed to read the error.
  static func allowAll(in headers: inout HTTPHeaders) {
    headers.append("Access-Control-Allow-Origin", "*")
    headers.append("Access-Control-Expose-Headers", exposed)
  }

  /// Answers a browser's preflight request, and other `OPTIONS` requests.
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
