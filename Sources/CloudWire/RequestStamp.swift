package import CloudRecords

/// Which of a client's requests one is: the server does it once, however often it comes, and not at
/// all once the client has given it up.
///
/// Parhelion's addition to the protocol, as a header field of requests that change records or
/// zones:
///
///     X-Parhelion-Request: 3F2504E0-4F89-41D3-9A0C-0305E82C3301 17 16
package struct RequestStamp: Hashable, Sendable {
  package static let headerField = "X-Parhelion-Request"

  /// What the client calls itself for as long as it runs; no other ever has the same name.
  package var client: String
  /// Counts the client's requests, from one.
  package var number: UInt64
  /// The first request that the client still waited for when it began this one: those before are
  /// over for it.
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
        "The header field \(Self.headerField) has a name of up to 64 bytes for the client, the number of the request and that of the oldest which it still waits for, with spaces between them."
      )
    }
    self.init(client: String(parts[0]), number: number, oldest: oldest)
  }
}
