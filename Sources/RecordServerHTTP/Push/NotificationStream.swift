import CloudRecords
import CloudWire
import HTTPServer
import JSONCoding
import RecordServer

/// A stream of server-sent events for a device, with comments while there are no events.
///
/// The field `schema` has the schema version of the device's container, at the beginning and after
/// each change. After a change, a client may retry a save that production rejected. Readers of
/// server-sent events skip unknown fields.
struct NotificationStream {
  let service: RecordService
  let token: String

  /// The response with the stream.
  ///
  /// - Parameters:
  ///   - version: The version of the schema, which the check of the device returned.
  ///   - removals: The hub's number of removals before that check.
  func response(schema version: SchemaVersion, since removals: UInt64) -> HTTPResponse {
    let (hub, service, token) = (service.hub, service, token)
    let headers: HTTPHeaders = [
      "Content-Type": "text/event-stream", "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      // Proxies that buffer responses would delay notifications.
      "X-Accel-Buffering": "no",
    ]
    let body = HTTPResponse.Body.parts(length: nil) { writer in
      try await writer.write(Self.comment)
      try await writer.write(Self.line(version))
      var (lastVersion, removals) = (version, removals)
      while true {
        switch await hub.wait(for: token, since: removals) {
        case .notification(let notification): try await writer.write(Self.event(notification))
        case .quiet, .unchecked:
          // Another process may have ended the session or removed the device.
          removals = hub.removals
          let listening = await service.listen(by: token)
          if case .failure(let error) = listening, error.code == .authenticationFailed { return }
          if case .success(let version) = listening, version != lastVersion {
            lastVersion = version
            try await writer.write(Self.line(version))
          } else {
            try await writer.write(Self.comment)
          }
        case .ended: return
        }
      }
    }
    return HTTPResponse(headers: headers, body: body)
  }

  private static let comment = Array(":\n\n".utf8)

  private static func line(_ version: SchemaVersion) -> [UInt8] {
    Array("schema: \(version)\n\n".utf8)
  }

  private static func event(_ notification: PushNotification) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    notification.write(to: &writer)
    return Array("data: ".utf8) + writer.array() + Array("\n\n".utf8)
  }
}
