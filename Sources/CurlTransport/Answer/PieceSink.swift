internal import CloudTransport

/// Delivers the head at once, then the body in pieces.
final class PieceSink: ResponseSink {
  private let queue: PieceQueue
  private let answer: PendingResponse

  init(_ queue: PieceQueue, answer: PendingResponse) {
    self.queue = queue
    self.answer = answer
  }

  func begin(_ head: TransportResponse) throws(TransportError) { answer.resume(.success(head)) }

  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    unsafe queue.offer([UInt8](bytes))
  }

  func finish(_ result: Result<TransportResponse, TransportError>) {
    answer.resume(result)
    queue.finish(result.map { _ in })
  }
}
