/// What a client is told whose bytes are no request, or who is one too many.
enum RefusalResponse {
  static func bytes(_ violation: HTTPViolation) -> [UInt8] {
    bytes(violation.status, sentence: violation.rawValue)
  }

  static func bytes(_ status: HTTPStatus, sentence: String) -> [UInt8] {
    let body = sentence + "\n"
    return Array(
      """
      HTTP/1.1 \(status.rawValue) \(status.reason)\r
      Content-Type: text/plain; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r
      \(body)
      """.utf8)
  }
}
