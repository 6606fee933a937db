/// Why no whole answer came.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Nobody can be reached: there is no network, or the host has no address.
    case offline
    /// The host does not take the connection.
    case refused
    /// The connection broke before the answer was whole.
    case broken
    /// A limit of time was passed.
    case timedOut
    /// The server's certificate is none that is trusted for its name.
    case untrusted
    /// What came is no answer of the protocol, or longer than what is taken.
    case malformed
    /// A file of this machine that is sent or received cannot be read or written.
    case file
    /// A file that the settings name is not there, or is not what they say.
    case settings
    /// The task was cancelled.
    case cancelled
    /// The address cannot be understood, or a header field cannot be sent as it is.
    case address
  }

  package var kind: Kind
  /// What was wrong, where, and what to do.
  package var reason: String
  /// Whether the server may have taken the request, so that sending it again could do a thing
  /// twice.
  package var mayHaveArrived: Bool
  /// The number of the system's error, where a file of this machine could not be read or written.
  package var systemError: CInt?

  package init(_ kind: Kind, _ reason: String, mayHaveArrived: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.mayHaveArrived = mayHaveArrived
  }

  package var description: String { reason }
}
