import CloudRecords
import RecordServer

/// An API token or a server key, as an entry of a list.
struct ListedCredential: Encodable {
  let identifier: String
  let container: String
  let environment: String
  let label: String
  let created: String
  let expires: String?
  let revoked: String?
  var origins: [String]?
  var callback: String?

  init(_ token: APIToken) {
    self.init(
      token.identifier, token.container, token.label, token.created, token.expires, token.revoked)
    origins = token.allowedOrigins
    callback = token.callbackURL
  }

  init(_ key: ServerKey) {
    self.init(key.identifier, key.container, key.label, key.created, key.expires, key.revoked)
  }

  private init(
    _ identifier: String, _ container: ContainerAddress, _ label: String, _ created: Timestamp,
    _ expires: Timestamp?,
    _ revoked: Timestamp?
  ) {
    self.identifier = identifier
    self.container = container.container
    environment = container.environment.rawValue
    self.label = label
    self.created = created.text
    self.expires = expires?.text
    self.revoked = revoked?.text
  }

  private var cells: [String] {
    let state =
      revoked.map { "revoked at \($0)" } ?? expires.map { "until \($0)" } ?? "since \(created)"
    return [identifier, "\(container)/\(environment)", label, state]
  }

  static func write(
    _ list: [ListedCredential], as name: String, _ invocation: Invocation, _ console: any Console
  ) throws {
    if invocation.has("--json") {
      try console.writeJSON([name: list])
    } else {
      try console.writeLines(TextColumns.lines(list.map(\.cells)))
    }
  }
}
