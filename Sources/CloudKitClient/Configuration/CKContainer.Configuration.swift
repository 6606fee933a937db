public import Foundation

extension CKContainer {
  /// A container's server and credentials.
  ///
  /// A configuration replaces the entitlements of an app on Apple's platforms.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// CKContainer.configure(
  ///   CKContainer.Configuration(
  ///     containerIdentifier: "iCloud.com.example.notes",
  ///     server: URL(string: "https://cloud.example.com")!, environment: .production,
  ///     credentials: .user(apiToken: "…", webAuthToken: "…")))
  /// let database = CKContainer.default().privateCloudDatabase
  /// ```
  public struct Configuration: Sendable {
    /// A container's environment.
    public enum Environment: String, Codable, Sendable {
      /// Saving a record adds its type and its fields to the schema.
      case development
      /// The schema changes only by deployment.
      case production
    }

    /// The credentials of requests.
    public enum Credentials: Sendable {
      /// No credentials.
      case none
      /// The app's API token, with the current account. Without an account, only anonymous access
      /// to the public database.
      case program(apiToken: String)
      /// The app's API token and a fixed user's web auth token. Stored accounts are not used.
      case user(apiToken: String, webAuthToken: String)
      /// A development user, who is named but not authenticated. For a local server in the
      /// development environment.
      case developmentUser(String)
      /// A server-to-server key in PEM, for the public database only.
      case serverKey(identifier: String, privateKey: String)
    }

    /// The connection to the server, and the verification of its certificate.
    public struct Connection: Sendable {
      /// A PEM file with the trusted certificate authorities, instead of the system's.
      ///
      /// `parhelion serve` creates such a file if it creates its own certificate.
      public var certificateAuthority: URL?
      /// The proxy, such as `http://proxy.example.com:3128`; nil for the proxy in the environment
      /// variables `https_proxy`, `http_proxy` and `all_proxy`.
      public var proxy: URL?
      /// Hosts that are reached without the proxy, subdomains included, such as
      /// `intranet.example.com`; `*` for all.
      ///
      /// Proxies from environment variables have their own exceptions, in `no_proxy`.
      public var proxyExceptions: [String]
      /// The certificate for servers that require TLS client authentication; nil for none.
      public var clientCertificate: ClientCertificate?
      /// Whether an `http://` server on another machine is allowed.
      ///
      /// Tokens and records are not encrypted then: others on the network can read and change them.
      /// A server on this machine is always allowed.
      public var allowsPlainHTTP: Bool

      /// Creates a connection with the system's defaults.
      public init(
        certificateAuthority: URL? = nil, proxy: URL? = nil, proxyExceptions: [String] = [],
        clientCertificate: ClientCertificate? = nil, allowsPlainHTTP: Bool = false
      ) {
        self.certificateAuthority = certificateAuthority
        self.proxy = proxy
        self.proxyExceptions = proxyExceptions
        self.clientCertificate = clientCertificate
        self.allowsPlainHTTP = allowsPlainHTTP
      }
    }

    /// A certificate for TLS client authentication, which the server or a proxy in front of it
    /// requires.
    public struct ClientCertificate: Hashable, Sendable {
      /// A PEM file with the certificate and its intermediate certificates.
      public var certificate: URL
      /// A PEM file with the certificate's private key, without a password.
      public var privateKey: URL

      /// Creates a client certificate from its files.
      public init(certificate: URL, privateKey: URL) {
        self.certificate = certificate
        self.privateKey = privateKey
      }
    }

    /// The storage for the tokens of signed-in accounts.
    public enum AccountStorage: Hashable, Sendable {
      /// In the user's data folder: `$XDG_DATA_HOME/parhelion/accounts`.
      case user
      /// In a folder that only its owner can access. It is created if it does not exist.
      case folder(URL)
      /// In memory, until the process ends.
      case memory
    }

    /// The place at which the `encryptedValues` of records are encrypted.
    public enum EncryptedValues: String, Sendable {
      /// On the device: the server cannot read them. Requires a Parhelion server, which stores
      /// users' sealed keys for their devices.
      case device
      /// On the server, which can therefore read them. Apple's web services and compatible servers
      /// work this way.
      case server
    }

    /// The container's identifier, such as `iCloud.com.example.notes`.
    public var containerIdentifier: String
    /// The server's URL: a Parhelion record server, or another server with CloudKit's web services
    /// protocol.
    public var server: URL
    /// The container's environment.
    public var environment: Environment
    /// The credentials of requests.
    public var credentials: Credentials
    /// The connection to the server.
    public var connection: Connection
    /// The storage for the tokens of signed-in accounts.
    public var accountStorage: AccountStorage
    /// The place at which the encrypted values of records are encrypted.
    ///
    /// A server cannot change this setting. If the device encrypts, an unencrypted value from the
    /// server is an error. A device with keys of the user never leaves encryption to the server.
    public var encryptedValues: EncryptedValues

    /// Creates a configuration.
    public init(
      containerIdentifier: String, server: URL, environment: Environment = .development,
      credentials: Credentials = .none, connection: Connection = Connection(),
      accountStorage: AccountStorage = .user, encryptedValues: EncryptedValues = .device
    ) {
      self.containerIdentifier = containerIdentifier
      self.server = server
      self.environment = environment
      self.credentials = credentials
      self.connection = connection
      self.accountStorage = accountStorage
      self.encryptedValues = encryptedValues
    }
  }

  /// Binds a container to a server.
  ///
  /// Parhelion's addition. The first bound container is the default one. Binding a container again
  /// replaces its server: running operations finish with the old server, sync engines restart with
  /// the account at the new one, and `CKAccountChanged` is posted. A container that the app does
  /// not bind is configured by environment variables or else by a configuration file.
  public class func configure(_ configuration: Configuration) {
    ContainerRegistry.shared.bind(configuration)
  }
}

extension CKContainer.Configuration.Credentials {
  /// The credentials as a session uses them.
  var cloud: CloudCredentials {
    switch self {
    case .none: .none
    case .program(let token): .program(apiToken: token)
    case .user(let token, let web): .user(apiToken: token, webAuthToken: web)
    case .developmentUser(let word): .developmentUser(word)
    case .serverKey(let identifier, let key): .serverKey(identifier: identifier, privateKey: key)
    }
  }
}
