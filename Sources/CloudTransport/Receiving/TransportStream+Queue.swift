extension TransportStream {
  /// Creates a stream that reads from a queue.
  ///
  /// - Parameter close: Ends the transfer. It is called when the reader's task is cancelled and
  ///   when the stream is released, so it may be called several times and after the end.
  package init(head: TransportResponse, queue: PieceQueue, close: @escaping @Sendable () -> Void) {
    let reader = PieceReader(queue: queue, close: close)
    self.init(head: head, pieces: AsyncThrowingStream { try await reader.next() })
  }
}

/// Reads pieces from the queue, and ends the transfer when the stream is released.
private final class PieceReader: Sendable {
  private let queue: PieceQueue
  private let close: @Sendable () -> Void

  init(queue: PieceQueue, close: @escaping @Sendable () -> Void) {
    self.queue = queue
    self.close = close
  }

  deinit { close() }

  func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await queue.next()
    } onCancel: {
      close()
    }
  }
}
