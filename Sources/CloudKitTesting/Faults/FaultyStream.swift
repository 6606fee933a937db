internal import CloudTransport

/// Injects faults into streamed responses.
enum FaultyStream {
  /// Breaks the stream after a number of bytes.
  static func cut(_ stream: TransportStream, after count: Int) -> TransportStream {
    changed(stream) { pieces, continuation in
      var left = max(0, count)
      for try await piece in pieces {
        continuation.yield(Array(piece.prefix(left)))
        left -= min(left, piece.count)
        guard left > 0 else { break }
      }
      throw Self.broken
    }
  }

  private static let broken = TransportError(
    .broken, "The test broke the connection during the response.", mayHaveArrived: true)

  /// Changes one byte of the first chunk.
  static func damaged(_ stream: TransportStream) -> TransportStream {
    changed(stream) { pieces, continuation in
      var isFirst = true
      for try await piece in pieces {
        var piece = piece
        if isFirst { FaultyTransport.damage(&piece) }
        isFirst = false
        continuation.yield(piece)
      }
    }
  }

  /// Breaks the stream when the network goes offline.
  static func breakable(_ stream: TransportStream, on network: TestNetwork) -> TransportStream {
    changed(stream, on: network) { pieces, continuation in
      for try await piece in pieces { continuation.yield(piece) }
    }
  }

  private typealias Pieces = AsyncThrowingStream<[UInt8], any Error>

  private static func changed(
    _ stream: TransportStream, on network: TestNetwork? = nil,
    _ body: @escaping @Sendable (Pieces, Pieces.Continuation) async throws -> Void
  ) -> TransportStream {
    let pieces = Pieces { continuation in
      let task = Task {
        do {
          try await body(stream.pieces, continuation)
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      let number = network?.addStream {
        continuation.finish(throwing: Self.broken)
        task.cancel()
      }
      continuation.onTermination = { _ in
        task.cancel()
        if let number { network?.removeStream(number) }
      }
    }
    return TransportStream(head: stream.head, pieces: pieces)
  }
}
