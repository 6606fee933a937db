package import CloudTransport
package import HTTPServer
internal import RecordServerHTTP

/// A transport that delivers requests to a server in the same process, without sockets.
///
/// The server is the real one: it parses heads, reads bodies in chunks, and streams responses with
/// back-pressure. Nothing is lost and nothing takes time, so timeouts do not apply.
/// `FaultyTransport` adds faults.
package final class InProcessTransport: CloudTransport {
  private let front: InProcessFrontEnd
  private let executor = BackgroundExecutor()

  /// Creates a transport that passes requests to a handler in this process.
  ///
  /// - Parameters:
  ///   - address: The server's scheme and host. No other host can be reached.
  ///   - now: Returns the seconds since 1970, for the `Date` header.
  ///   - handler: Handles the requests.
  package init(
    address: String, now: @escaping @Sendable () -> Int, handler: @escaping HTTPServer.Handler
  ) {
    front = InProcessFrontEnd(address: address, now: now, handler: handler)
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let memory = MemoryBody(limit: request.answerLimit)
    var answer = try await run(request) { _ in memory }
    answer.body = memory.bytes
    return answer
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    let file = try DownloadFile(path: path)
    defer { file.close() }
    var answer: TransportResponse
    repeat {
      let memory = MemoryBody(limit: request.answerLimit)
      answer = try await run(file.request(for: request)) { head in
        guard try file.begin(head) else { return memory }
        return FileBody(file, progress: progress)
      }
      answer.body = memory.bytes
    } while try !file.isWhole(&answer)
    if answer.isSuccess { progress(file.count, file.total ?? file.count) }
    return answer
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    let body = QueuedBody()
    let begun = try begin(request)
    let close = DeferredCancellation()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = PendingResponse(continuation)
        let task = Task.detached(executorPreference: executor) { [front] in
          let outcome = await front.perform(begun) { head in
            answer.resume(.success(head))
            return body
          }
          answer.resume(outcome)
          body.queue.finish(outcome.map { _ in })
        }
        close.hold(task)
      }
    } onCancel: {
      close.cancel()
    }
    return TransportStream(head: try outcome.get(), queue: body.queue) { close.cancel() }
  }

  /// Performs a request, and writes the response body to the sink that the closure returns.
  private func run(
    _ request: TransportRequest,
    into makeSink: @escaping @Sendable (TransportResponse) throws -> any HTTPResponseSink
  ) async throws(TransportError) -> TransportResponse {
    let begun = try begin(request)
    let task = Task.detached(executorPreference: executor) { [front] in
      await front.perform(begun, into: makeSink)
    }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }

  private func begin(_ request: TransportRequest) throws(TransportError) -> InProcessRequest {
    if Task.isCancelled { throw TransportError(.cancelled, "The task was cancelled.") }
    return try front.request(request)
  }
}
