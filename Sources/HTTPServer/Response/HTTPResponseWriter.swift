/// Writes the parts of a response's body.
package struct HTTPResponseWriter: Sendable {
  let connection: HTTPConnection
  let exchange: Int

  /// Writes bytes behind those written before, at once.
  ///
  /// It returns while the client keeps up, and waits while too much is on its way to a slow one.
  ///
  /// - Throws: `HTTPWriteFault`, or `CancellationError` where the task is cancelled while it waits.
  package func write(_ bytes: [UInt8]) async throws {
    try await connection.writePart(bytes, exchange)
  }

  /// Writes a file, or a part of one, behind the bytes written before.
  package func write(_ file: HTTPFile) async throws {
    try await connection.writeFile(file, exchange)
  }
}
