import CloudRecords
import JSONCoding
import RecordServer

/// The OpenAPI description of routes.
extension Route {
  var summary: String {
    switch self {
    case .database(let route): EndpointNote(of: route.endpoint).summary
    case .pushToken(_, let isNew):
      isNew ? "Create a token for notifications." : "Register a token for notifications."
    case .push(.wait): "Wait for one notification. After an empty answer, ask again."
    case .push(.stream): "Receive a stream of notifications."
    case .file(.upload): "Upload a file to an address from assets/upload."
    case .file(.download): "Download a file or a part of it from the address in a record."
    case .page(.signIn): "The page for signing in."
    case .page(.signUp): "The page for creating an account."
    case .page(.signOut):
      "The page for signing out: of one session if the address has its web token, otherwise of all sessions of an account."
    case .invitation:
      "The page of a share, on which people sign in, accept, and manage it."
    case .welcome: "A page that describes the server and the next steps."
    case .administration(let operation): AdministrationNote(of: operation).summary
    case .health: "Whether the process answers."
    case .readiness: "Whether the storage can be read, and the server is not being stopped."
    case .metrics: "Figures for Prometheus."
    case .openAPI: "This description."
    }
  }

  /// The parameters in the path and the query.
  var parameters: [JSONValue] {
    switch self {
    case .database:
      Self.place + [Self.parameter("database", in: "path", DatabaseScope.allCases.map(\.name))]
    case .pushToken: Self.place
    case .push: [Self.parameter("token", in: "query")]
    case .file: [Self.parameter(AssetTickets.parameter, in: "query")]
    case .page: [Self.parameter("ckAPIToken", in: "query")]
    case .invitation: [Self.parameter("invitation", in: "path")]
    case .administration, .welcome, .health, .readiness, .metrics, .openAPI: []
    }
  }

  private static var place: [JSONValue] {
    [
      parameter("container", in: "path"),
      parameter("environment", in: "path", CloudEnvironment.allCases.map(\.rawValue)),
    ]
  }

  private static func parameter(_ name: String, in place: String, _ values: [String] = [])
    -> JSONValue
  {
    var schema = [JSONValue.Member("type", .string("string"))]
    if !values.isEmpty { schema.append(.init("enum", .array(values.map(JSONValue.string)))) }
    return .members([
      "name": .string(name), "in": .string(place), "required": .boolean(true),
      "schema": .object(schema),
    ])
  }

  /// The accepted sets of credentials.
  var security: JSONValue {
    let none = JSONValue.array([])
    return switch self {
    case .database, .pushToken:
      .array([
        .members(["apiToken": none]), .members(["apiToken": none, "webToken": none]),
        .members(["serverKey": none]),
      ])
    case .metrics, .administration: .array([.members(["administrator": none])])
    case .push, .file, .page, .invitation, .welcome, .health, .readiness, .openAPI: none
    }
  }

  // MARK: Contents

  /// The content of a request.
  func requestContent() throws(JSONError) -> JSONValue? {
    switch self {
    case .database(let route):
      guard let example = EndpointNote(of: route.endpoint).example else { return nil }
      return try Self.json(example)
    case .pushToken(_, let isNew):
      return try Self.json(
        isNew
          ? #"{"apnsEnvironment": "development"}"#
          : #"{"apnsEnvironment": "development", "apnsToken": "AAAA"}"#)
    case .administration(let operation):
      return try Self.json(AdministrationNote(of: operation).example)
    case .file(.upload):
      return .members([
        "application/octet-stream": .members([:]), "multipart/form-data": .members([:]),
      ])
    case .page, .invitation:
      return .members(["application/x-www-form-urlencoded": .members([:])])
    default: return nil
    }
  }

  private static func json(_ example: String) throws(JSONError) -> JSONValue {
    .members([
      "application/json": .members([
        "schema": .members(["type": .string("object")]),
        "example": try JSONValue(Array(example.utf8)),
      ])
    ])
  }

  /// The content of a response.
  func content(of status: Int) -> JSONValue {
    switch self {
    case .page, .invitation: return .members(["text/html": .members([:])])
    case .welcome where status == 200:
      return .members(["text/html": .members([:])])
    case _ where status >= 400:
      let error = JSONValue.members(["$ref": .string("#/components/schemas/Error")])
      return .members(["application/json": .members(["schema": error])])
    case .push(.stream): return .members(["text/event-stream": .members([:])])
    case .file(.download): return .members(["application/octet-stream": .members([:])])
    case .metrics: return .members(["text/plain": .members([:])])
    default:
      let form = answerForm.map(AnswerSchema.reference) ?? .members(["type": .string("object")])
      return .members(["application/json": .members(["schema": form])])
    }
  }
}
