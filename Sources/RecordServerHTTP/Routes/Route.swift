package import CloudRecords
package import CloudWire
package import HTTPServer
package import RecordServer

/// What an address means.
package enum Route: Hashable, Sendable {
  /// An operation on a database.
  case database(DatabaseRoute)
  /// How a device wants to hear of changes.
  case pushToken(ContainerAddress, isNew: Bool)
  /// Where a device waits for one notification, or for one after the other.
  case push(PushDelivery)
  /// Where a file is sent to, or fetched from, by an address that the server gave.
  case file(FileDirection)
  /// A page for people.
  case page(Page)
  /// The address of a share, as an invitation names it.
  case invitation
  /// The server's first page, which says what it is.
  case welcome
  /// What an administrator asks for.
  case administration(AdministrationOperation)
  case health
  case readiness
  case metrics
  /// What all of these are, for tools.
  case openAPI

  /// The pages on which people sign in, up and out.
  package enum Page: String, CaseIterable, Hashable, Sendable {
    case signIn = "sign-in"
    case signUp = "sign-up"
    case signOut = "sign-out"

    package var path: String { "/\(rawValue)" }
  }

  /// How notifications come to a device.
  package enum PushDelivery: String, CaseIterable, Hashable, Sendable {
    /// One, which ends the response.
    case wait
    /// Each in an event of a stream that does not end.
    case stream

    /// The address at which a device waits, without scheme and host.
    ///
    /// The token is behind the question mark, which logs leave out.
    package func address(token: String) -> String {
      "\(path)?token=\(PercentEncoding.encode(token))"
    }

    var path: String { "/push/\(rawValue)" }

    /// The path of `wait`, for those who look at it before anything else.
    static let waitPath: StaticString = "/push/wait"
  }

  /// Whether a file comes or goes.
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
  /// Why an address has no route.
  package struct Failure: Error, Hashable, Sendable {
    package var reason: String
  }

  /// Finds the route of a path, which is still percent-encoded.
  package init(path: String) throws(Failure) {
    // Nearly all requests are for these.
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
    case _ where path.hasPrefix(Self.invitationPath): self = try Self.invitation(path)
    case _ where path.hasPrefix(Self.administrationPath): self = try Self.administration(path)
    default: self = try Self.cloud(path)
    }
  }

  /// The methods that it takes.
  package var methods: [HTTPMethod] {
    switch self {
    case .database(let route): route.endpoint.allowsGet ? [.get, .post] : [.post]
    case .pushToken, .administration: [.post]
    case .push: [.get]
    case .file(.upload): [.post, .put]
    case .file(.download): [.get, .head]
    case .page: [.get, .head, .post]
    case .invitation, .welcome, .health, .readiness, .metrics, .openAPI: [.get, .head]
    }
  }

  /// What metrics call it: one of few names.
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

  /// An administrator's operation, `/admin/1/{operation}`.
  private static func administration(_ path: String) throws(Failure) -> Route {
    let name = String(path.dropFirst(administrationPath.count))
    guard let operation = AdministrationOperation(rawValue: name) else {
      throw Failure(reason: "There is no operation \(name.prefix(64)) of administrators.")
    }
    return .administration(operation)
  }

  static let administrationPath = "/admin/1/"

  /// The address of a share, `/share/{short name}`: whether there is such a share, the page does
  /// not tell.
  private static func invitation(_ path: String) throws(Failure) -> Route {
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
    return .invitation
  }

  static let invitationPath = "/share/"

  /// `/database/1/{container}/{environment}/{database}/{operation}` and its relatives.
  private static func cloud(_ path: String) throws(Failure) -> Route {
    var parts: [String] = []
    let bytes = Array(path.utf8)
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst()
    {
      guard let text = PercentEncoding.decode(part), !text.isEmpty else {
        throw Failure(reason: "The path has an empty or malformed part.")
      }
      // An encoded slash would be taken for the end of a part by whoever looks at the path next.
      guard !text.utf8.contains(UInt8(ascii: "/")), text != ".", text != ".." else {
        throw Failure(reason: "The path has a part that is no name.")
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
    if let fault = CloudName.container.fault(in: container) {
      throw Failure(reason: "The container's identifier \(fault).")
    }
    guard let environment = CloudEnvironment(rawValue: environment) else {
      throw Failure(
        reason: "The environment is development or production, not \(environment.prefix(32)).")
    }
    return ContainerAddress(container: container, environment: environment)
  }

  /// Clients use three spellings: under `device`, under `database`, and under a database of it.
  private static func pushToken(_ container: ContainerAddress, _ rest: [String]) -> Route? {
    let tail = rest.count == 3 && DatabaseScope(name: rest[0]) != nil ? Array(rest[1...]) : rest
    switch tail {
    case ["tokens", "create"]: return .pushToken(container, isNew: true)
    case ["tokens", "register"]: return .pushToken(container, isNew: false)
    default: return nil
    }
  }
}
