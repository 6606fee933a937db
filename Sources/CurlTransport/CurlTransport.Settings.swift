extension CurlTransport {
  /// The settings of connections.
  package struct Settings: Sendable {
    /// The user agent of requests.
    package var userAgent = "Parhelion"
    /// The time limit for connecting, including name resolution and TLS.
    package var connectLimit = Duration.seconds(30)
    /// The maximum number of concurrent transfers of each kind.
    ///
    /// Transfers in memory are one kind, and files and streams the other. Further transfers wait.
    package var transfersAtOnce = Limits.transfersAtOnce
    package var proxy = Proxy.environment
    package var security = Security()

    package init() {}
  }

  /// The proxy for connections.
  package enum Proxy: Hashable, Sendable {
    /// The proxies of `https_proxy`, `http_proxy` and `all_proxy`, except for the hosts of
    /// `no_proxy`.
    case environment
    case none
    /// A proxy such as `http://proxy.example:3128` or `socks5h://localhost`.
    ///
    /// The address may have a user before the host. The exceptions and their subdomains are
    /// reached directly.
    case server(String, exceptions: [String] = [])
  }

  /// The trusted authorities and the client certificate of TLS.
  ///
  /// Certificates are always verified, including the host name.
  package struct Security: Hashable, Sendable {
    /// A PEM file with the trusted authorities, or nil for those of the system.
    ///
    /// A server's development authority is such a file.
    package var authorityFile: String?
    /// The PEM files of a client certificate and its key, for servers that require one.
    package var clientCertificate: ClientCertificate?

    package init() {}
  }

  /// A client certificate.
  package struct ClientCertificate: Hashable, Sendable {
    package var certificateFile: String
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }
}
