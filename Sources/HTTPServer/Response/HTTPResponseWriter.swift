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

  /// A writer whose parts go elsewhere than to a connection.
  package init(_ sink: any HTTPResponseSink) { target = .sink(sink) }

  /// Writes bytes behind those written before, at once.
  ///
  /// It returns while the client keeps up, and waits while too much is on its way to a slow one.
  ///
  /// - Throws: `HTTPWriteError`, or `CancellationError` where the task is cancelled while it waits.
  package func write(_ bytes: [UInt8]) async throws {
    switch target {
    case .connection(let connection, let exchange): try await connection.writePart(bytes, exchange)
    case .sink(let sink): try await sink.write(bytes)
    }
  }

  /// Writes a file, or a part of one, behind the bytes written before.
  package func write(_ file: HTTPFile) async throws {
    switch target {
    case .connection(let connection, let exchange): try await connection.writeFile(file, exchange)
    case .sink(let sink): try await sink.write(file)
    }
  }
}

/// Takes the parts of a response's body where there is no connection, as with a client in the same
/// process.
package protocol HTTPResponseSink: Sendable {
  /// Takes bytes, and waits while too many are on their way.
  func write(_ bytes: [UInt8]) async throws
}

extension HTTPResponseSink {
  /// Takes a file, piece by piece.
  package func write(_ file: HTTPFile) async throws {
    for start in stride(from: 0, to: file.count, by: Limits.queuedOutputBytes) {
      try await write(file.bytes(start..<min(start + Limits.queuedOutputBytes, file.count)))
    }
  }
}
