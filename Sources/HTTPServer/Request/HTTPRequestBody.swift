/// The body of a request, piece by piece as it comes.
///
/// It is read once.
///
/// A client whose pieces are not taken is made to wait: no more than some pieces are in memory.
///
///     for try await piece in request.body { try file.append(piece) }
package struct HTTPRequestBody: AsyncSequence, Sendable {
  package typealias Element = [UInt8]

  enum Source: Sendable {
    case whole([UInt8])
    case connection(HTTPConnection, exchange: Int, length: Int?)
    case pieces(length: Int, @Sendable () async throws -> [UInt8]?)
  }

  let source: Source

  /// A body that is there already, such as a test has.
  package init(_ bytes: [UInt8] = []) { source = .whole(bytes) }

  /// A body that comes from elsewhere than from a connection.
  ///
  /// - Parameter next: Gives piece after piece, none of them empty, and nil at the end.
  package init(length: Int, next: @escaping @Sendable () async throws -> [UInt8]?) {
    source = .pieces(length: length, next)
  }

  init(_ source: Source) { self.source = source }

  /// Its length where the client names it; nil for chunked bodies.
  package var length: Int? {
    switch source {
    case .whole(let bytes): bytes.count
    case .connection(_, _, let length): length
    case .pieces(let length, _): length
    }
  }

  /// The whole body.
  ///
  /// - Parameter admit: Is given the length of each piece before it is kept; the body is given up
  ///   if it throws.
  /// - Throws: `HTTPParseError.bodyTooLong` where it is longer than the limit; a body that says so
  ///   beforehand is not read at all.
  package func collect(limit: Int, admit: (Int) throws -> Void = { _ in }) async throws -> [UInt8] {
    if let length, length > limit { throw HTTPParseError.bodyTooLong }
    if case .whole(let bytes) = source {
      try admit(bytes.count)
      return bytes
    }
    var collected: [UInt8] = []
    collected.reserveCapacity(length ?? 0)
    for try await piece in self {
      guard collected.count + piece.count <= limit else { throw HTTPParseError.bodyTooLong }
      try admit(piece.count)
      collected.append(contentsOf: piece)
    }
    return collected
  }

  package func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  /// Takes piece after piece.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: Source

    fileprivate init(source: Source) { self.source = source }

    /// The next piece, which is never empty; nil where the body is whole.
    ///
    /// - Throws: `HTTPParseError` where the client breaks off, is too slow or sends what is no
    ///   body.
    package mutating func next() async throws -> [UInt8]? {
      switch source {
      case .whole(let bytes):
        source = .whole([])
        return bytes.isEmpty ? nil : bytes
      case .connection(let connection, let exchange, _):
        return try await connection.nextBodyPart(exchange)
      case .pieces(_, let next): return try await next()
      }
    }
  }
}
