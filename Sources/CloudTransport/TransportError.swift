/// The reason why no complete response arrived.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// There is no network, or the host has no address.
    case offline
    /// The host refused the connection.
    case refused
    /// The connection broke before the response was complete.
    case broken
    /// A time limit passed.
    case timedOut
    /// The server's certificate is not trusted for its name.
    case untrusted
    /// The response violates the protocol or exceeds a limit.
    case malformed
    /// A local file that is sent or received cannot be read or written.
    case file
    /// A file that the settings name is missing or invalid.
    case settings
    /// The task was cancelled.
    case cancelled
    /// The address or a header field is invalid.
    case address
  }

  package var kind: Kind
  /// A sentence that says what was wrong, where, and what to do.
  package var reason: String
  /// Whether the server may have processed the request, so that sending it again could repeat its
  /// effect.
  package var mayHaveArrived: Bool
  /// The system's error number, if a local file could not be read or written.
  package var systemError: CInt?

  package init(_ kind: Kind, _ reason: String, mayHaveArrived: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.mayHaveArrived = mayHaveArrived
  }

  package var description: String { reason }
}
