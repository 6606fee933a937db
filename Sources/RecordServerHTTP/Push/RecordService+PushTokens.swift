import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers `tokens/create` and `tokens/register`.
  func answerPushToken(_ request: HTTPRequest, _ container: ContainerAddress, isNew: Bool)
    async throws -> Answer
  {
    let base = address(of: request)
    return try await answer(request, for: container, isChanging: true) {
      (authentication, body) async throws(CloudError) in
      let call = call(by: authentication, .private, request)
      guard isNew else {
        return try await server.registerPushToken(TokensRegisterRequest(body: body), call)
      }
      return try await server.createPushToken(TokensCreateRequest(body: body), call) {
        base + Route.PushDelivery.wait.address(token: $0)
      } stream: {
        base + Route.PushDelivery.stream.address(token: $0)
      }
    }
  }
}
