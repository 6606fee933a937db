import CloudRecords
import HTTPServer
import RecordServer
import Synchronization

/// The endpoints for an operator's monitoring.
extension RecordService {
  /// Answers whether the server is ready: it can read its storage, and is not stopping.
  func answerReadiness() async throws -> Answer {
    if isStopping.load(ordering: .relaxed) {
      throw CloudError(.tryAgainLater, "The server is stopping.", retryAfterSeconds: 5)
    }
    try await server.checkStorage()
    return Answer(json: #"{"status":"ready"}"#)
  }

  func answerMetrics(_ request: HTTPRequest) async throws -> Answer {
    if !settings.showsMetrics { try await requireAdministrator(request) }
    let text = Array(metrics.text(gauges: gauges).utf8)
    return Answer(
      HTTPResponse(
        headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"], body: .bytes(text)))
  }
}
