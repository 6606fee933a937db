import CloudRecords
import HTTPServer
import JSONCoding

/// The description of the server in the form of OpenAPI 3.1, generated from its routes.
enum ServiceDescription {
  /// Creates the response with the document.
  ///
  /// - Parameter address: The address at which clients reach the server.
  static func response(address: String) throws(JSONError) -> HTTPResponse {
    let (beginning, rest) = (beginning(address), try rest.get())
    return HTTPResponse(
      headers: ["Content-Type": "application/json; charset=utf-8"],
      body: .parts(length: beginning.count + rest.count) { writer in
        try await writer.write(beginning)
        try await writer.write(rest)
      })
  }

  /// The beginning of the document, with the server's address.
  private static func beginning(_ address: String) -> [UInt8] {
    let members = JSONValue.members([
      "openapi": .string("3.1.0"),
      "info": .members([
        "title": .string("Parhelion record server"), "version": .string("1"),
        "description": .string(
          "CloudKit Web Services. Items of a request that fail say so in an answer with status 200."
        ),
      ]),
      "servers": .array([.members(["url": .string(address)])]),
    ])
    return Array(members.bytes.dropLast()) + ",".utf8
  }

  /// The rest of the document, which all responses share.
  ///
  /// It is computed once, since requests for it need no credentials.
  private static let rest = Result { () throws(JSONError) -> [UInt8] in
    let members = JSONValue.members(["paths": try paths(), "components": components])
    return Array(members.bytes.dropFirst())
  }

  // MARK: Paths

  private static func paths() throws(JSONError) -> JSONValue {
    var items: [JSONValue.Member] = []
    for route in Route.described {
      var operations = [JSONValue.Member("parameters", .array(route.parameters))]
      // HEAD has the same responses as GET, without a body.
      for method in route.methods where method != .head {
        operations.append(.init(method.rawValue.lowercased(), try operation(route, method)))
      }
      items.append(.init(route.template, .object(operations)))
    }
    return .object(items)
  }

  private static func operation(_ route: Route, _ method: HTTPMethod) throws(JSONError)
    -> JSONValue
  {
    let name = "\(method.rawValue.lowercased())_\(route.operation.replacing("/", with: "_"))"
    var members: [JSONValue.Member] = [
      .init("operationId", .string(name)),
      .init("tags", .array([.string(String(route.operation.prefix { $0 != "/" }))])),
      .init("summary", .string(route.summary)),
      .init("security", route.security),
    ]
    if method != .get, let content = try route.requestContent() {
      members.append(.init("requestBody", .members(["content": content])))
    }
    members.append(.init("responses", responses(route, method)))
    return .object(members)
  }

  private static func responses(_ route: Route, _ method: HTTPMethod) -> JSONValue {
    var responses = route.statuses(of: method).map { status in
      var members = [JSONValue.Member("description", .string(Route.meaning(of: status)))]
      if status < 300 || status >= 400 {
        members.append(.init("content", route.content(of: status)))
      }
      return JSONValue.Member("\(status)", .object(members))
    }
    responses.append(
      .init(
        "default",
        .members(["description": .string(anyError), "content": route.content(of: 500)])))
    return .object(responses)
  }

  private static let anyError: String = {
    let statuses = Route.statusesEverywhere.map(String.init).joined(separator: ", ")
    return "Another error. Any address may answer with \(statuses)."
  }()

  // MARK: Components

  private static var components: JSONValue {
    .members([
      "schemas": .object([JSONValue.Member("Error", error)] + AnswerSchema.all),
      "securitySchemes": .members([
        "apiToken": key("ckAPIToken", in: "query", "Names the application."),
        "webToken": key("ckWebAuthToken", in: "query", "Identifies the user."),
        "serverKey": key(
          "X-Apple-CloudKit-Request-SignatureV1", in: "header",
          "A signature by a server's key, with the headers that end in KeyID and ISO8601Date."),
        "administrator": .members(["type": .string("http"), "scheme": .string("bearer")]),
      ]),
    ])
  }

  private static var error: JSONValue {
    let text = JSONValue.members(["type": .string("string")])
    return .members([
      "type": .string("object"),
      "required": .array([.string("uuid"), .string("serverErrorCode"), .string("reason")]),
      "properties": .members([
        "uuid": text,
        "serverErrorCode": .members([
          "type": .string("string"), "description": .string(meanings),
          "enum": .array(CloudErrorCode.allCases.map { .string($0.rawValue) }),
        ]),
        "reason": text,
        "extensionErrorCode": .members([
          "type": .string("string"),
          "enum": .array(CloudError.Extension.allCases.map { .string($0.rawValue) }),
        ]),
        "retryAfter": .members(["type": .string("integer")]),
        "redirectURL": text,
      ]),
    ])
  }

  /// The codes and what they mean, as a list in Markdown.
  private static let meanings = CloudErrorCode.allCases.map { "- `\($0.rawValue)`: \($0.meaning)" }
    .joined(separator: "\n")

  private static func key(_ name: String, in place: String, _ description: String) -> JSONValue {
    .members([
      "type": .string("apiKey"), "name": .string(name), "in": .string(place),
      "description": .string(description),
    ])
  }
}

extension JSONValue {
  /// Creates an object whose members keep their order.
  static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
