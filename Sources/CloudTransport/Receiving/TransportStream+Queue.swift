extension TransportStream {
  /// A stream of what comes into a queue.
  ///
  /// - Parameter close: Ends the transfer. It is called when the reader's task is cancelled, and
  ///   when nobody can read any more; more than once, and after the end, too.
  package init(head: TransportResponse, queue: PieceQueue, close: @escaping @Sendable () -> Void) {
    let reader = PieceReader(queue: queue, close: close)
    self.init(head: head, pieces: AsyncThrowingStream { try await reader.next() })
  }
}

/// Lives for as long as somebody may read.
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
