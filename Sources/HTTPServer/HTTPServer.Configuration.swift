extension HTTPServer {
  /// How a server listens, and what its clients may cost.
  package struct Configuration: Sendable {
    /// The numeric address to listen at; `::` means every address of the machine.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose a free one.
    package var port: UInt16 = 0
    /// Whether and how TLS is spoken.
    package var security = Security.none
    /// How many threads serve.
    ///
    /// One answers some ten thousand requests a second.
    package var loops = 1
    /// The most connections.
    package var maximumConnections = 10_000
    /// The most connections of one address, or of one network of IPv6.
    ///
    /// Behind a proxy all clients share the proxy's address.
    package var maximumConnectionsPerAddress = 10_000
    /// The longest body of a request.
    ///
    /// Handlers set narrower limits with `collect(limit:)`.
    package var maximumBodyBytes = Limits.bodyBytes
    /// How long clients may take.
    package var timeouts = HTTPTimeouts()
    /// What those are told whom no handler hears of: a sentence, unless the server's protocol has
    /// words of its own.
    ///
    /// It must return soon.
    package var answerRefusal: @Sendable (HTTPRejection) -> HTTPRejection.Answer = {
      HTTPRejection.Answer(text: $0)
    }
    /// Called for what happens beside answers.
    ///
    /// It must return soon.
    package var onEvent: @Sendable (HTTPServerEvent) -> Void = { _ in }

    package init() {}
  }

  /// Whether and how TLS is spoken.
  package enum Security: Sendable {
    /// Not at all: for a proxy in front, and for tests.
    case none
    /// With a certificate chain and its key, in PEM files.
    case files(certificate: String, key: String)
    /// With a certificate that the server makes itself, for local clients and for those who know it
    /// by one of these hosts. `DevelopmentAuthority` says which files are in the folder, and which
    /// of them clients are told to trust.
    case development(folder: String, hosts: [String] = [])
  }
}
