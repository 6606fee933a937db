import CloudRecords
import CloudWire
import RecordServer

extension Route {
  /// The routes in the server's description: one of each kind, and one for each operation.
  package static var described: [Route] {
    let container = ContainerAddress(
      container: "iCloud.com.example.notes", environment: .development)
    let operations = Endpoint.allCases.map { endpoint in
      Route.database(DatabaseRoute(container: container, scope: .private, endpoint: endpoint))
    }
    let others: [Route] =
      PushDelivery.allCases.map(Route.push) + FileDirection.allCases.map(Route.file)
      + Page.allCases.map(Route.page)
    let tokens: [Route] = [.pushToken(container, isNew: true), .pushToken(container, isNew: false)]
    let administration = AdministrationOperation.allCases.map(Route.administration)
    return operations + tokens + others + administration + [
      .invitation("0"), .welcome, .health, .readiness, .metrics, .openAPI,
    ]
  }

  /// The path, with its variable parts in braces.
  package var template: String {
    switch self {
    case .database(let route):
      "/database/1/{container}/{environment}/{database}/\(route.endpoint.rawValue)"
    case .pushToken: "/device/1/{container}/{environment}/\(operation)"
    case .push(let delivery): delivery.path
    case .file(let direction): direction.path
    case .page(let page): page.path
    case .invitation: "\(Self.invitationPath){invitation}"
    case .welcome: "/"
    case .administration(let operation): "\(Self.administrationPath)\(operation.rawValue)"
    case .health: "/health"
    case .readiness: "/ready"
    case .metrics: "/metrics"
    case .openAPI: "/openapi.json"
    }
  }
}
