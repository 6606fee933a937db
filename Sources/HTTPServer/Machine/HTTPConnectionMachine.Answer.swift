extension HTTPConnectionMachine {
  /// What is known of the response to the request that a handler has.
  struct Answer {
    let isHeadRequest: Bool
    let version: HTTPVersion
    let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body.
    var owesContinue: Bool
    /// How the response's end will be known; nil before its head is written.
    var framing: ResponseFraming?

    init(to head: HTTPRequestHead) {
      isHeadRequest = head.methodIs("HEAD")
      version = head.version
      keepsAlive = head.parsed.keepsAlive
      owesContinue = head.parsed.expectsContinue
    }
  }

  /// How a client knows where a response ends.
  enum ResponseFraming: Equatable {
    /// There is no body, whatever the handler writes.
    case nothing
    case length(remaining: Int)
    case chunked
    /// By the end of the connection: clients of HTTP/1.0 know no chunks.
    case close
  }
}
