package import CloudTransport

/// HTTP over libcurl.
///
/// Bytes are moved by the thread that asks, where the answer comes soon, and otherwise by a thread
/// for all transfers; connections are kept for the next request. Nothing is started before the
/// first request.
///
///     send, download, open ──▶ CurlInbox ──▶ CurlLoop (libcurl's multi handle) ──▶ sockets
///              ▲                                  │
///              └── ResponseSink ◀── CurlTransfer ◀──┘
package final class CurlTransport: CloudTransport {
  private let settings: Settings
  /// For requests and answers in memory.
  private let inbox = CurlInbox()
  /// For files and streams, which may last: whoever asks something short meanwhile need not wait
  /// for another thread to send it.
  private let longInbox = CurlInbox()

  package init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  deinit {
    inbox.close(nil)
    longInbox.close(nil)
  }

  /// Ends all transfers as if they had been cancelled, closes all connections, and returns when
  /// nothing is left.
  ///
  /// Requests that come later are refused.
  package func shutdown() async {
    await withCheckedContinuation { inbox.close($0) }
    await withCheckedContinuation { longInbox.close($0) }
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    // A stream that was left is closed before anything else is asked: the server must not tell it
    // any more.
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
    let queue = PieceQueue(limit: Limits.unreadBytes) { inbox.goOn(ticket) }
    let head = try await run(request, in: inbox, ticket) { PieceSink(queue, answer: $0) }
    return TransportStream(head: head, queue: queue) { inbox.cancel(ticket) }
  }

  /// Carries out a request, whose answer goes where the sink says.
  private func run(
    _ request: TransportRequest, in inbox: CurlInbox, _ ticket: TransferHandle = TransferHandle(),
    into makeSink: (PendingResponse) -> any ResponseSink
  ) async throws(TransportError) -> TransportResponse {
    if let fault = request.fault { throw fault }
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
