import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers `tokens/create` and `tokens/register`.
  func answerPushToken(_ request: HTTPRequest, _ container: ContainerAddress, isNew: Bool) async throws -> Answer {
    let base = address(of: request)
    return try await answer(request, for: container) { (authentication, body) async throws(CloudError) in
      let message = try PushTokenRequest(body: body)
      let call = call(by: authentication, .private, request)
      guard isNew else { return try await server.registerPushToken(message, call) }
      return try await server.createPushToken(message, call) { base + Route.PushDelivery.wait.address(token: $0) }
    }
  }
}
