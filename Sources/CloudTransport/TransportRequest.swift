/// A request to a server.
package struct TransportRequest: Sendable {
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  /// What a request's body is made of.
  package enum Body: Hashable, Sendable {
    case bytes([UInt8])
    /// A file, or the rest of one from a byte on, which is read while it is sent and never is in
    /// memory as a whole.
    case file(path: String, from: Int64 = 0)
  }

  package var method: Method
  /// The whole address, such as `https://cloud.example.com/database/1/…?ckAPIToken=…`.
  package var address: String
  package var headers: [(name: String, value: String)] = []
  package var body: Body?
  /// How long nothing may come or go before the request is given up; nil for no limit, as for those
  /// that wait for something to happen.
  package var idleLimit: Duration? = .seconds(60)
  /// How long the request may take as a whole; nil for no limit.
  package var wholeLimit: Duration?
  /// The longest body of an answer that is taken into memory.
  package var answerLimit = 64 << 20
  /// Is told of the bytes of the body that were sent.
  package var progress: TransportProgress?

  package init(_ method: Method, _ address: String, body: Body? = nil) {
    self.method = method
    self.address = address
    self.body = body
  }
}
