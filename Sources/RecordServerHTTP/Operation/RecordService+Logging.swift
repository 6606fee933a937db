import CloudRecords
import HTTPServer
import RecordServer

extension RecordService {
  /// Counts an answer and logs it.
  func logAnswer(
    _ answer: Answer, to request: HTTPRequest, operation: String,
    since begun: ContinuousClock.Instant
  ) {
    let duration = ContinuousClock.now - begun
    let microseconds =
      duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    let status = answer.response.status.rawValue
    metrics.count(
      operation: operation, status: status, seconds: Double(microseconds) / 1_000_000,
      received: request.body.receivedBytes,
      sent: request.method == .head ? 0 : answer.bodyBytes)
    settings.log?(
      RequestLogEntry(
        requestIdentifier: request.id.description, time: server.dependencies.now(),
        method: request.method.rawValue,
        path: Self.loggedPath(request.path), status: status, microseconds: Int(microseconds),
        remoteAddress: clientHost(of: request),
        userRecordName: answer.caller?.userRecordName, error: answer.error))
  }

  /// Counts and logs a client that was rejected before a request could be read.
  func logRejection(_ rejection: HTTPRejection, of address: SocketAddress, bodyLimit: Int) {
    let (status, time) = (rejection.status.rawValue, server.dependencies.now())
    metrics.count(rejectionWithStatus: status)
    settings.log?(
      RequestLogEntry(
        requestIdentifier: rejection.id.description, time: time, status: status,
        remoteAddress: address.host, error: CloudError(rejection, bodyLimit: bodyLimit)))
  }

  /// The path as it is logged.
  ///
  /// The end of a share's address is removed, because it lets anyone join a public share.
  private static func loggedPath(_ path: String) -> String {
    path.hasPrefix(Route.invitationPath) ? Route.invitationPath + "…" : path
  }
}
