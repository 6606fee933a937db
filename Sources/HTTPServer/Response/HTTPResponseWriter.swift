/// Writes the parts of a response's body.
package struct HTTPResponseWriter: Sendable {
  private enum Target: Sendable {
    case connection(HTTPConnection, exchange: Int)
    case sink(any HTTPResponseSink)
  }

  private let target: Target

  init(connection: HTTPConnection, exchange: Int) {
    target = .connection(connection, exchange: exchange)
  }

  /// Creates a writer with a destination other than a connection.
  package init(_ sink: any HTTPResponseSink) { target = .sink(sink) }

  /// Writes bytes after the previous ones, without waiting for more.
  ///
  /// The method suspends while too much output is queued for a slow client.
  ///
  /// - Throws: `HTTPWriteError`, or `CancellationError` if the task is cancelled while it waits.
  package func write(_ bytes: [UInt8]) async throws {
    switch target {
    case .connection(let connection, let exchange): try await connection.writePart(bytes, exchange)
    case .sink(let sink): try await sink.write(bytes)
    }
  }

  /// Writes a file, or a part of one, after the previous bytes.
  package func write(_ file: HTTPFile) async throws {
    switch target {
    case .connection(let connection, let exchange): try await connection.writeFile(file, exchange)
    case .sink(let sink): try await sink.write(file)
    }
  }
}

/// A destination of a response's body without a connection, such as a client in the same process.
package protocol HTTPResponseSink: Sendable {
  /// Writes bytes, and suspends while too many are queued.
  func write(_ bytes: [UInt8]) async throws
}

extension HTTPResponseSink {
  /// Writes a file, piece by piece.
  package func write(_ file: HTTPFile) async throws {
    for start in stride(from: 0, to: file.count, by: Limits.queuedOutputBytes) {
      try await write(file.bytes(start..<min(start + Limits.queuedOutputBytes, file.count)))
    }
  }
}
