package import CloudRecords

/// Identifies a client's request, so that the server performs it at most once.
///
/// The server does not perform a request that the client has already abandoned. The stamp is an
/// addition of Parhelion to the protocol, as a header field (`Endpoint.isPerformedOnce`):
///
///     X-Parhelion-Request: 3F2504E0-4F89-41D3-9A0C-0305E82C3301 17 16
package struct RequestStamp: Hashable, Sendable {
  package static let headerField = "X-Parhelion-Request"

  /// A unique identifier of the client's session in its process.
  package var client: String
  /// The number of the client's request, counted from 1.
  package var number: UInt64
  /// The number of the oldest unfinished request of the client when it started this one.
  package var oldest: UInt64

  package init(client: String, number: UInt64, oldest: UInt64) {
    self.client = client
    self.number = number
    self.oldest = oldest
  }

  /// The value of the header field.
  package var text: String { "\(client) \(number) \(oldest)" }

  package init(_ text: String) throws(CloudError) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, (1...64).contains(parts[0].utf8.count), let number = UInt64(parts[1]),
      let oldest = UInt64(parts[2]), oldest >= 1, oldest <= number
    else {
      throw CloudError(
        .badRequest,
        "The header field \(Self.headerField) needs the client's name of up to 64 bytes, the request's number, and the number of the oldest unanswered request, separated by spaces."
      )
    }
    self.init(client: String(parts[0]), number: number, oldest: oldest)
  }
}
