/// An error in the bytes of a client.
///
/// The raw value is a sentence for the client.
package enum HTTPParseError: String, Error, CaseIterable, Sendable {
  case malformedRequestLine = "The request line is not METHOD SP TARGET SP VERSION."
  case malformedTarget = "The request target has a form or a character that is not allowed."
  case malformedLineEnd =
    "A line does not end with carriage return and line feed, or has one of them inside."
  case malformedFieldName = "A field name is empty, or has a character that is not allowed."
  case malformedFieldValue = "A field value has a control character."
  case foldedField = "A field continues on a second line."
  case missingHost = "A request of HTTP/1.1 has no Host field."
  case repeatedHost = "The request has more than one Host field."
  case malformedHost = "The Host field is empty, or has a character that is not allowed."
  case malformedContentLength = "Content-Length is not a decimal number of at most 18 digits."
  case repeatedContentLength = "The request has more than one Content-Length."
  case ambiguousLength = "The request has both Content-Length and Transfer-Encoding."
  case malformedTransferEncoding =
    "Transfer-Encoding is repeated, or belongs to a request of HTTP/1.0."
  case malformedChunk = "A chunk's size, its end or a trailer is malformed."
  case tooManyExtensionBytes = "The chunk extensions are too long."
  case tooManyTrailerBytes = "The trailers are too long."
  case targetTooLong = "The request target is too long."
  case tooManyFields = "The request has too many header fields."
  case headTooLong = "The head of the request is too long."
  case bodyTooLong = "The body of the request is too long."
  case methodUnsupported = "The method is CONNECT, or too long to be one."
  case transferEncodingUnsupported = "The only transfer coding of this server is chunked."
  case versionUnsupported = "The version of the request is neither HTTP/1.1 nor HTTP/1.0."
  case expectationUnsupported = "The only expectation of this server is 100-continue."
  case headTooSlow = "The head of the request did not arrive in time."
  case bodyTooSlow = "The body of the request arrives too slowly."
  case clientLeft = "The client disconnected before its request was complete."

  /// The status of the response.
  package var status: HTTPStatus {
    switch self {
    case .targetTooLong: .uriTooLong
    case .tooManyFields, .headTooLong, .tooManyTrailerBytes: .requestHeaderFieldsTooLarge
    case .bodyTooLong: .contentTooLarge
    case .methodUnsupported, .transferEncodingUnsupported: .notImplemented
    case .versionUnsupported: .httpVersionNotSupported
    case .expectationUnsupported: .expectationFailed
    case .headTooSlow, .bodyTooSlow: .requestTimeout
    default: .badRequest
    }
  }
}
