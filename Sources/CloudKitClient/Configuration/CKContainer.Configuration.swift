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
      /// Nothing yet: the user is to sign in.
      case none
      /// The program alone, for what everybody may do with the public database.
      case program(apiToken: String)
      /// A user of the program.
      case user(apiToken: String, webAuthToken: String)
      /// Another server, by its key in PEM: the public database only.
      case serverKey(identifier: String, privateKey: String)
    }

    /// How the server's certificate is verified, and how the server is reached.
    public struct Connection: Sendable {
      /// A file with the certificates that are trusted beside the system's; a server for development makes one.
      public var certificateAuthority: URL?
      /// The proxy to go through, such as `http://proxy.example.com:3128`; nil for that of the environment.
      public var proxy: URL?

      /// A connection as the system makes it.
      public init(certificateAuthority: URL? = nil, proxy: URL? = nil) {
        self.certificateAuthority = certificateAuthority
        self.proxy = proxy
      }
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

    /// A configuration from its parts.
    public init(
      containerIdentifier: String, server: URL, environment: Environment = .development,
      credentials: Credentials = .none, connection: Connection = Connection()
    ) {
      self.containerIdentifier = containerIdentifier
      self.server = server
      self.environment = environment
      self.credentials = credentials
      self.connection = connection
    }
  }

  /// Binds a container to a server.
  ///
  /// Parhelion's addition. The first container that is bound is the default one.
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
    case .serverKey(let identifier, let key): .serverKey(identifier: identifier, privateKey: key)
    }
  }
}
