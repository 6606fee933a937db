package import CloudRecords
package import CloudWire
package import HTTPServer
package import RecordServer

/// The route of a request, which its path determines.
package enum Route: Hashable, Sendable {
  /// An operation on a database.
  case database(DatabaseRoute)
  /// The registration of a device for notifications.
  case pushToken(ContainerAddress, isNew: Bool)
  /// The delivery of notifications to a device, one by one or as a stream.
  case push(PushDelivery)
  /// An upload or a download of a file, at an address that the server issued.
  case file(FileDirection)
  /// A page for people.
  case page(Page)
  /// The address of a share in an invitation, with the share's short name.
  case invitation(String)
  /// The server's first page, which describes it.
  case welcome
  /// An operation of an administrator.
  case administration(AdministrationOperation)
  case health
  case readiness
  case metrics
  /// The description of all routes for tools.
  case openAPI

  /// The pages for signing in, creating accounts and signing out.
  package enum Page: String, CaseIterable, Hashable, Sendable {
    case signIn = "sign-in"
    case signUp = "sign-up"
    case signOut = "sign-out"

    package var path: String { "/\(rawValue)" }
  }

  /// The ways in which a device receives notifications.
  package enum PushDelivery: String, CaseIterable, Hashable, Sendable {
    /// One notification, which ends the response.
    case wait
    /// An endless stream with an event for each notification.
    case stream

    /// The address at which a device waits, without scheme and host.
    ///
    /// The token is in the query, which logs omit.
    package func address(token: String) -> String {
      "\(path)?token=\(PercentEncoding.encode(token))"
    }

    var path: String { "/push/\(rawValue)" }

    /// The path of `wait`, which is checked before all other routes.
    static let waitPath: StaticString = "/push/wait"
  }

  /// The direction of a file transfer.
  package enum FileDirection: String, CaseIterable, Hashable, Sendable {
    case upload
    case download

    var path: String { self == .upload ? AssetTickets.uploadPath : AssetTickets.downloadPath }
  }

  /// An operation on one of a container's databases.
  package struct DatabaseRoute: Hashable, Sendable {
    package var container: ContainerAddress
    package var scope: DatabaseScope
    package var endpoint: Endpoint

    package init(container: ContainerAddress, scope: DatabaseScope, endpoint: Endpoint) {
      self.container = container
      self.scope = scope
      self.endpoint = endpoint
    }
  }
}

extension Route {
  /// The error of an address without a route.
  package struct Failure: Error, Hashable, Sendable {
    package var reason: String
  }

  /// Parses a path, which is still percent-encoded.
  package init(path: String) throws(Failure) {
    // Nearly all requests have this prefix.
    if path.utf8.starts(with: "/database/".utf8) {
      self = try Self.cloud(path)
      return
    }
    switch path {
    case "/": self = .welcome
    case "/health": self = .health
    case "/ready": self = .readiness
    case "/metrics": self = .metrics
    case "/openapi.json": self = .openAPI
    case PushDelivery.wait.path: self = .push(.wait)
    case PushDelivery.stream.path: self = .push(.stream)
    case FileDirection.upload.path: self = .file(.upload)
    case FileDirection.download.path: self = .file(.download)
    case Page.signIn.path: self = .page(.signIn)
    case Page.signUp.path: self = .page(.signUp)
    case Page.signOut.path: self = .page(.signOut)
    case _ where path.hasPrefix(Self.invitationPath): self = try Self.invitationRoute(path)
    case _ where path.hasPrefix(Self.administrationPath): self = try Self.administration(path)
    default: self = try Self.cloud(path)
    }
  }

  /// The allowed methods.
  package var methods: [HTTPMethod] {
    switch self {
    case .database(let route): route.endpoint.allowsGet ? [.get, .post] : [.post]
    case .pushToken, .administration: [.post]
    case .push: [.get]
    case .file(.upload): [.post, .put]
    case .file(.download): [.get, .head]
    case .page, .invitation: [.get, .head, .post]
    case .welcome, .health, .readiness, .metrics, .openAPI: [.get, .head]
    }
  }

  /// The name of the operation in metrics, from a small fixed set.
  package var operation: String {
    switch self {
    case .database(let route): route.endpoint.rawValue
    case .pushToken(_, let isNew): isNew ? "tokens/create" : "tokens/register"
    case .push(let delivery): "push/\(delivery.rawValue)"
    case .file(let direction): "file/\(direction.rawValue)"
    case .page(let page): page.rawValue
    case .invitation: "share"
    case .welcome: "welcome"
    case .administration(let operation): "admin/\(operation.rawValue)"
    case .health: "health"
    case .readiness: "ready"
    case .metrics: "metrics"
    case .openAPI: "openapi"
    }
  }

  /// Whether pages of other origins may read the answer.
  package var isForPages: Bool {
    switch self {
    case .database, .pushToken, .push, .file, .openAPI: true
    case .page, .invitation, .welcome, .administration, .health, .readiness, .metrics: false
    }
  }

  /// Parses an administrator's operation, `/admin/1/{operation}`.
  private static func administration(_ path: String) throws(Failure) -> Route {
    let name = String(path.dropFirst(administrationPath.count))
    guard let operation = AdministrationOperation(rawValue: name) else {
      throw Failure(reason: "There is no operation \(name.prefix(64)) of administrators.")
    }
    return .administration(operation)
  }

  static let administrationPath = "/admin/1/"

  /// Parses the address of a share, `/share/{short name}`.
  ///
  /// The page does not reveal whether the share exists.
  private static func invitationRoute(_ path: String) throws(Failure) -> Route {
    let name = path.dropFirst(invitationPath.count).utf8
    let isName = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard (1...128).contains(name.count), name.allSatisfy(isName) else {
      throw Failure(
        reason:
          "An invitation's address ends in its short name: letters, digits, dashes and underscores."
      )
    }
    return .invitation(String(decoding: name, as: UTF8.self))
  }

  static let invitationPath = "/share/"

  /// Parses `/database/1/{container}/{environment}/{database}/{operation}` and similar paths.
  private static func cloud(_ path: String) throws(Failure) -> Route {
    var parts: [String] = []
    let bytes = Array(path.utf8)
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst()
    {
      guard let text = PercentEncoding.decode(part), !text.isEmpty else {
        throw Failure(reason: "The path has an empty or malformed part.")
      }
      // Another parser of the path could mistake an encoded slash for a separator.
      guard !text.utf8.contains(UInt8(ascii: "/")), text != ".", text != ".." else {
        throw Failure(reason: "The path has a part that is not a valid name.")
      }
      parts.append(text)
    }
    guard parts.count >= 5, parts[0] == "database" || parts[0] == "device" else {
      throw Failure(reason: "There is nothing at this path.")
    }
    guard parts[1] == "1" else {
      throw Failure(reason: "The version of the protocol is 1, not \(parts[1].prefix(32)).")
    }
    let container = try address(parts[2], parts[3])
    let rest = Array(parts[4...])
    if let token = pushToken(container, rest) { return token }
    guard parts[0] == "database", let scope = DatabaseScope(name: rest[0]) else {
      throw Failure(reason: "The database is public, private or shared, not \(rest[0].prefix(32)).")
    }
    let name = rest.dropFirst().joined(separator: "/")
    guard let endpoint = Endpoint(rawValue: name) else {
      throw Failure(reason: "There is no operation \(name.prefix(64)).")
    }
    return .database(DatabaseRoute(container: container, scope: scope, endpoint: endpoint))
  }

  private static func address(_ container: String, _ environment: String) throws(Failure)
    -> ContainerAddress
  {
    if let defect = CloudName.container.defect(in: container) {
      throw Failure(reason: "The container's identifier \(defect).")
    }
    guard let environment = CloudEnvironment(rawValue: environment) else {
      throw Failure(
        reason: "The environment is development or production, not \(environment.prefix(32)).")
    }
    return ContainerAddress(container: container, environment: environment)
  }

  /// Parses the end of a path for push tokens; nil for another path.
  ///
  /// Clients send it under `/device`, under `/database`, or under a database's name.
  private static func pushToken(_ container: ContainerAddress, _ rest: [String]) -> Route? {
    let tail = rest.count == 3 && DatabaseScope(name: rest[0]) != nil ? Array(rest[1...]) : rest
    switch tail {
    case ["tokens", "create"]: return .pushToken(container, isNew: true)
    case ["tokens", "register"]: return .pushToken(container, isNew: false)
    default: return nil
    }
  }
}
