public import Foundation

extension CKContainer {
  /// Where a container is, and who asks: what takes the place of a program's entitlements.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// CKContainer.configure(
  ///   CKContainer.Configuration(
  ///     containerIdentifier: "iCloud.com.example.notes", server: URL(string: "https://cloud.example.com")!,
  ///     environment: .production, credentials: .user(apiToken: "…", webAuthToken: "…")))
  /// let database = CKContainer.default().privateCloudDatabase
  /// ```
  public struct Configuration: Sendable {
    /// Which of a container's two worlds is meant.
    public enum Environment: String, Codable, Sendable {
      /// Types and fields are learnt from what is saved.
      case development
      /// Types and fields are those that were deployed.
      case production
    }

    /// What proves to the server who asks.
    public enum Credentials: Sendable {
      /// Nothing.
      case none
      /// The program, and whoever has signed in: without a user, what everybody may do with the
      /// public database.
      case program(apiToken: String)
      /// A user of the program, whoever else has signed in.
      case user(apiToken: String, webAuthToken: String)
      /// A development user, named by one word, without proof: for a server on this machine, in the
      /// development environment.
      case developmentUser(String)
      /// Another server, by its key in PEM: the public database only.
      case serverKey(identifier: String, privateKey: String)
    }

    /// How the server's certificate is verified, and how the server is reached.
    public struct Connection: Sendable {
      /// A PEM file of the authorities that are trusted in place of the system's; a server for
      /// development makes one.
      public var certificateAuthority: URL?
      /// The proxy to go through, such as `http://proxy.example.com:3128`; nil for that of the
      /// environment.
      public var proxy: URL?
      /// Hosts that are reached without that proxy, with all hosts below them, such as
      /// `intranet.example.com`; `*` stands for all.
      ///
      /// The proxy of the environment has exceptions of its own, in `no_proxy`.
      public var proxyExceptions: [String]
      /// What shows the server who connects, where it wants to know that before anything is asked;
      /// nil where it does not.
      public var clientCertificate: ClientCertificate?
      /// Whether an `http://` server on another machine is used.
      ///
      /// Then tokens and records pass unencrypted, for every machine between to read and change.
      ///
      /// A server on this machine needs no permission.
      public var allowsPlainHTTP: Bool

      /// A connection as the system makes it.
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

    /// A certificate by which the server, or what stands before it, knows who connects.
    public struct ClientCertificate: Hashable, Sendable {
      /// A PEM file of the certificate, and of those between it and its authority.
      public var certificate: URL
      /// A PEM file of the certificate's private key, without a password.
      public var privateKey: URL

      /// A certificate and its key.
      public init(certificate: URL, privateKey: URL) {
        self.certificate = certificate
        self.privateKey = privateKey
      }
    }

    /// Where the tokens of those who signed in are kept.
    public enum AccountStorage: Hashable, Sendable {
      /// In the user's own folder: `$XDG_DATA_HOME/parhelion/accounts`.
      case user
      /// In a folder that only its owner may see; it is made where it is missing.
      case folder(URL)
      /// Nowhere: they are gone with the process.
      case memory
    }

    /// Who encrypts what programs put into `encryptedValues` of records.
    public enum EncryptedValues: String, Sendable {
      /// This device: the server has no key to them. It takes a server of Parhelion's, which keeps
      /// the sealed keys of users for their devices.
      case device
      /// The server, which sees them while it does: so do Apple's web services, and other servers
      /// that speak their protocol.
      case server
    }

    /// The name of the container, such as `iCloud.com.example.notes`.
    public var containerIdentifier: String
    /// The server: a record server of Parhelion's, or another that speaks CloudKit's protocol.
    public var server: URL
    /// Which of the container's two worlds is meant.
    public var environment: Environment
    /// What proves who asks.
    public var credentials: Credentials
    /// How the server is reached.
    public var connection: Connection
    /// Where the tokens of those who signed in are kept.
    public var accountStorage: AccountStorage
    /// Who encrypts the encrypted values of records.
    ///
    /// No server can change that: what it did not get sealed is an error where the device is to
    /// seal. Nor does a device that has keys of the user leave encryption to the server.
    public var encryptedValues: EncryptedValues

    /// A configuration from its parts.
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
  /// Parhelion's addition. The first container that is bound is the default one. Binding a
  /// container again takes the place of the former server for what begins then: operations that run
  /// end at the former one, sync engines begin anew with who is signed in at the other, and
  /// `CKAccountChanged` is posted. A container that the program does not bind is as the environment
  /// says, or else a configuration file.
  public class func configure(_ configuration: Configuration) {
    ContainerRegistry.shared.bind(configuration)
  }
}

extension CKContainer.Configuration.Credentials {
  /// As sessions have them.
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
