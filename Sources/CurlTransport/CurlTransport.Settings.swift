extension CurlTransport {
  /// How connections are made.
  package struct Settings: Sendable {
    /// What requests say about who sends them.
    package var userAgent = "Parhelion"
    /// How long making a connection may take, names and TLS included.
    package var connectLimit = Duration.seconds(30)
    /// How many transfers of a kind run at once, those in memory and those of files and streams;
    /// others wait for their turn.
    package var transfersAtOnce = Limits.transfersAtOnce
    package var proxy = Proxy.environment
    package var security = Security()

    package init() {}
  }

  /// Who connections are made through.
  package enum Proxy: Hashable, Sendable {
    /// Whom `https_proxy`, `http_proxy` and `all_proxy` name, but for the hosts of `no_proxy`.
    case environment
    case none
    /// A proxy, such as `http://proxy.example:3128` or `socks5h://localhost`; with a user before
    /// the host where it wants one. Hosts among the exceptions, and those below them, are reached
    /// without it.
    case server(String, exceptions: [String] = [])
  }

  /// Whom TLS trusts, and what it shows.
  ///
  /// Certificates are always verified, with the host's name.
  package struct Security: Hashable, Sendable {
    /// A PEM file of the authorities that are trusted; nil for those of the system.
    ///
    /// A server's development authority is such a file.
    package var authorityFile: String?
    /// The PEM files of a certificate and its key, where the server wants to know who connects.
    package var clientCertificate: ClientCertificate?

    package init() {}
  }

  /// Proves who connects.
  package struct ClientCertificate: Hashable, Sendable {
    package var certificateFile: String
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }
}
