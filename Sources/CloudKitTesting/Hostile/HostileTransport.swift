internal import CloudTransport
internal import Foundation

/// The network of a device that reaches a hostile server.
final class HostileTransport: CloudTransport {
  private let base: any CloudTransport
  private let server: HostileServer
  private let user: String
  private let device: Int

  init(_ base: any CloudTransport, server: HostileServer, user: String, device: Int) {
    (self.base, self.server, self.user, self.device) = (base, server, user, device)
  }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    for delayed in server.takeDelayed() { _ = try? await delayed.base.send(delayed.request) }
    guard let call = HostileCall(request, user: user, device: device) else {
      return try await base.send(request)
    }
    server.note(call)
    switch server.outcome(of: call) {
    case .answered: break
    case .replaced(let answer): return answer
    case .lost: throw Self.broken(mayHaveArrived: false)
    case .delayed:
      server.delay(request, by: base)
      throw Self.broken(mayHaveArrived: true)
    case .answerLost:
      _ = try await base.send(request)
      throw Self.broken(mayHaveArrived: true)
    }
    var answer = try await base.send(request)
    if let body = server.altered(answer.body, of: call) { answer.body = body }
    return answer
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    try await base.download(request, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    try await base.open(request)
  }

  private static func broken(mayHaveArrived: Bool) -> TransportError {
    TransportError(
      .broken, "The hostile server has broken the connection.", mayHaveArrived: mayHaveArrived)
  }
}

/// A request to a database, as the hostile server reads it.
struct HostileCall {
  /// The device's user.
  let user: String
  let device: Int
  /// Such as `private`.
  let database: String
  /// Such as `records/modify`.
  let operation: String
  /// The request's JSON.
  let body: [String: Any]

  /// Reads a request; nil if it belongs to no database, such as an upload, or has no JSON body.
  init?(_ request: TransportRequest, user: String, device: Int) {
    let path = request.address.prefix { $0 != "?" }.split(separator: "/")
    guard let start = path.firstIndex(of: "database"), path.count > start + 5,
      case .bytes(let bytes)? = request.body,
      let body = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    else { return nil }
    (self.user, self.device, self.body) = (user, device, body)
    database = String(path[start + 4])
    operation = path[(start + 5)...].joined(separator: "/")
  }
}
