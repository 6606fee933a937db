extension HTTPConnectionMachine {
  /// The state of the response to the current request.
  struct Answer {
    let isHeadRequest: Bool
    let version: HTTPVersion
    let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body.
    var awaitsContinue: Bool
    /// The framing of the response's body, or nil before its head is written.
    var framing: ResponseFraming?

    init(to head: HTTPRequestHead) {
      isHeadRequest = head.methodIs("HEAD")
      version = head.version
      keepsAlive = head.parsed.keepsAlive
      awaitsContinue = head.parsed.expectsContinue
    }
  }

  /// The way in which a client recognizes the end of a response.
  enum ResponseFraming: Equatable {
    /// There is no body, whatever the handler writes.
    case nothing
    case length(remaining: Int)
    case chunked
    /// The end of the connection. Clients of HTTP/1.0 do not know chunks.
    case close
  }
}
