package import CloudTransport

/// HTTP over libcurl.
///
/// The calling thread transfers the bytes if the response arrives soon. Otherwise a background
/// thread takes over. There is one for requests in memory, and one for files and streams.
/// Connections are reused. Nothing starts before the first request.
///
///     send, download, open ──▶ CurlInbox ──▶ CurlLoop (libcurl's multi handle) ──▶ sockets
///              ▲                                  │
///              └── ResponseSink ◀── CurlTransfer ◀──┘
package final class CurlTransport: CloudTransport {
  private let settings: Settings
  /// Requests and responses in memory.
  private let inbox = CurlInbox()
  /// Files and streams, which may last long.
  ///
  /// They have their own inbox. In a shared one, each short request would wait for the background
  /// thread that drives a long transfer.
  private let longInbox = CurlInbox()

  package init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  deinit {
    inbox.close(nil)
    longInbox.close(nil)
  }

  /// Cancels all transfers, closes all connections, and returns when nothing is left.
  ///
  /// Later requests fail.
  package func shutdown() async {
    await withCheckedContinuation { inbox.close($0) }
    await withCheckedContinuation { longInbox.close($0) }
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    // If a cancelled stream may still be open, the request joins its inbox. The inbox closes the
    // stream first, so that the server stops sending on it.
    let isLong = if case .file = request.body { true } else { longInbox.hasEndings }
    return try await run(request, in: isLong ? longInbox : inbox) {
      MemorySink(limit: request.answerLimit, answer: $0)
    }
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    let file = try DownloadFile(path: path)
    defer { file.close() }
    var answer: TransportResponse
    repeat {
      answer = try await run(file.request(for: request), in: longInbox) {
        FileSink(file, progress: progress, limit: request.answerLimit, answer: $0)
      }
    } while try !file.isWhole(&answer)
    if answer.isSuccess { progress(file.count, file.total ?? file.count) }
    return answer
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    let (inbox, ticket) = (longInbox, TransferHandle())
    let queue = PieceQueue(limit: Limits.unreadBytes) { inbox.resume(ticket) }
    let head = try await run(request, in: inbox, ticket) { PieceSink(queue, answer: $0) }
    return TransportStream(head: head, queue: queue) { inbox.cancel(ticket) }
  }

  /// Sends a request, and delivers the response to a sink.
  private func run(
    _ request: TransportRequest, in inbox: CurlInbox, _ ticket: TransferHandle = TransferHandle(),
    into makeSink: (PendingResponse) -> any ResponseSink
  ) async throws(TransportError) -> TransportResponse {
    if let error = request.error { throw error }
    let body = try RequestBody(request.body)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let sink = makeSink(PendingResponse(continuation))
        inbox.add(CurlTransfer(request, body: body, sink: sink, ticket: ticket, settings: settings))
      }
    } onCancel: {
      inbox.cancel(ticket)
    }.get()
  }
}
