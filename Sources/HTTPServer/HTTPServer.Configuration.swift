extension HTTPServer {
  /// The address of a server, its security, and the limits of its clients.
  package struct Configuration: Sendable {
    /// The numeric address to listen on.
    ///
    /// `::` means all addresses of the machine.
    package var host = "127.0.0.1"
    /// The port to listen on.
    ///
    /// With 0 the system chooses a free port.
    package var port: UInt16 = 0
    /// The transport security of connections.
    package var security = Security.none
    /// The number of threads that serve connections.
    ///
    /// One thread answers about ten thousand requests a second.
    package var loops = 1
    /// The largest number of open connections.
    package var maximumConnections = 10_000
    /// The largest number of open connections from one IPv4 address or one IPv6 network.
    ///
    /// Behind a proxy all clients share the proxy's address.
    package var maximumConnectionsPerAddress = 10_000
    /// The largest body of a request, in bytes.
    ///
    /// Handlers set smaller limits with `collect(limit:)`.
    package var maximumBodyBytes = Limits.bodyBytes
    /// The time limits of clients.
    package var timeouts = HTTPTimeouts()
    /// Creates the answer for a request or a connection that is rejected before a handler runs.
    ///
    /// The default answers with a sentence. A server replaces this closure to use its protocol's
    /// format. The closure must return quickly.
    package var answerRejection: @Sendable (HTTPRejection) -> HTTPRejection.Answer = {
      HTTPRejection.Answer(text: $0)
    }
    /// Receives events that are not part of an answer, such as errors of handlers.
    ///
    /// The closure must return quickly.
    package var onEvent: @Sendable (HTTPServerEvent) -> Void = { _ in }

    package init() {}
  }

  /// The transport security of a server.
  package enum Security: Sendable {
    /// No TLS, for a server behind a proxy and for tests.
    case none
    /// TLS with a certificate chain and its key, both in PEM files.
    case files(certificate: String, key: String)
    /// TLS with a certificate that the server creates itself, for local clients and for clients
    /// that use one of these hosts.
    ///
    /// See `DevelopmentAuthority` for the files in the folder and for the certificate that clients
    /// trust.
    case development(folder: String, hosts: [String] = [])
  }
}
