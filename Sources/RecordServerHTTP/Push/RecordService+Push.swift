import CloudRecords
import CloudWire
import HTTPServer
import JSONCoding
import RecordServer

extension RecordService {
  /// Answers a device that waits for notifications.
  ///
  /// The token is all that it needs: nobody can guess one, and notifications say little.
  func answerPush(_ request: HTTPRequest, _ delivery: Route.PushDelivery) async throws -> Answer {
    guard let token = QueryParameters(request.query).value(of: "token"), (1...512).contains(token.utf8.count) else {
      throw CloudError(.badRequest, "The address has no token. Use the webcourierURL that tokens/create gives.")
    }
    switch delivery {
    case .wait: return try await nextNotification(for: token)
    case .stream: return Answer(notifications(for: token))
    }
  }

  /// One notification; or an empty body, after which the device asks again.
  private func nextNotification(for token: String) async throws -> Answer {
    switch await hub.wait(for: token) {
    case .notification(let notification): return Answer(notification)
    case .quiet, .ended:
      try Task.checkCancellation()
      return Answer(HTTPResponse(headers: ["Cache-Control": "no-store"]))
    }
  }

  /// Notifications as server-sent events, and comments while there are none.
  private func notifications(for token: String) -> HTTPResponse {
    let hub = hub
    let headers: HTTPHeaders = [
      "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
      // Proxies that collect answers would hold back notifications.
      "X-Accel-Buffering": "no",
    ]
    let body = HTTPResponse.Body.parts(length: nil) { writer in
      try await writer.write(Self.comment)
      while true {
        switch await hub.wait(for: token) {
        case .notification(let notification): try await writer.write(Self.event(notification))
        case .quiet: try await writer.write(Self.comment)
        case .ended: return
        }
      }
    }
    return HTTPResponse(headers: headers, body: body)
  }

  private static let comment = Array(":\n\n".utf8)

  private static func event(_ notification: PushNotification) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    notification.write(to: &writer)
    return Array("data: ".utf8) + writer.array() + Array("\n\n".utf8)
  }
}
