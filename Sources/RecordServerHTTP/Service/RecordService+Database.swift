import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers an operation on a database.
  func answer(_ request: HTTPRequest, to route: Route.DatabaseRoute) async throws -> Answer {
    let isChanging = route.endpoint.isChanging
    return try await answer(
      request, for: route.container, isChanging: isChanging,
      isReadInSlices: route.endpoint.isReadInSlices
    ) { (authentication, body) async throws(CloudError) in
      var call = call(by: authentication, route.scope, request)
      if isChanging { call.deviceToken = try await deviceToken(of: request, call) }
      if route.endpoint.isPerformedOnce { call.stamp = try request.stamp }
      return try await server.respond(to: route.endpoint, body: body, call)
    }
  }

  func call(by authentication: Authentication, _ scope: DatabaseScope, _ request: HTTPRequest)
    -> Call
  {
    let address = address(of: request)
    return Call(
      container: authentication.container, realm: authentication.realm, scope: scope,
      caller: authentication.caller,
      session: authentication.session, isOwnClient: request.isByOwnClient,
      wantsSyncToken: request.wantsSyncToken,
      serverAddress: address,
      redirectURL: authentication.redirectURL.map { $0.hasPrefix("/") ? address + $0 : $0 })
  }

  /// The push token of the device that sends a request; nil if there is none.
  ///
  /// A device gets no notifications of its own changes.
  ///
  /// Our own client sends its token. CloudKit JS sends its client identifier, under which the token
  /// was created.
  private func deviceToken(of request: HTTPRequest, _ call: Call) async throws(CloudError)
    -> String?
  {
    if let token = request.headers["x-parhelion-device-token"] { return token }
    guard let client = QueryParameters(request.query).value(of: "clientId") else { return nil }
    return try await server.deviceToken(ofClient: client, call)
  }
}
