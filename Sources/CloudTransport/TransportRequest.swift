/// A request to a server.
package struct TransportRequest: Sendable {
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  /// The content of a request body.
  package enum Body: Hashable, Sendable {
    case bytes([UInt8])
    /// A file, or the rest of it from an offset. It is read while it is sent and never loaded as a
    /// whole.
    case file(path: String, from: Int64 = 0)
  }

  package var method: Method
  /// The complete address, such as `https://cloud.example.com/database/1/…?ckAPIToken=…`.
  package var address: String
  package var headers: [(name: String, value: String)] = []
  package var body: Body?
  /// The longest time without any transferred byte, or nil for no limit.
  package var idleLimit: Duration? = .seconds(60)
  /// The longest time for the whole request, or nil for no limit.
  package var wholeLimit: Duration?
  /// The largest response body that is loaded into memory.
  package var answerLimit = 64 << 20
  /// Receives the number of sent body bytes.
  package var progress: TransportProgress?

  package init(_ method: Method, _ address: String, body: Body? = nil) {
    self.method = method
    self.address = address
    self.body = body
  }
}
