internal import Synchronization

/// The body of a request, in pieces as they arrive.
///
/// A body is read once. If the handler reads too slowly, the client has to wait, so only a few
/// pieces are in memory.
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
  /// Counts the bytes of a body that arrives in pieces.
  private let counter: ByteCounter?

  /// Creates a body that is complete, for example in a test.
  package init(_ bytes: [UInt8] = []) { self.init(.whole(bytes)) }

  /// Creates a body from a source other than a connection.
  ///
  /// - Parameter next: Returns the next piece, which is not empty, and nil at the end.
  package init(length: Int, next: @escaping @Sendable () async throws -> [UInt8]?) {
    self.init(.pieces(length: length, next))
  }

  init(_ source: Source) {
    self.source = source
    counter = if case .whole = source { nil } else { ByteCounter() }
  }

  /// The length of the body, or nil for a chunked body.
  package var length: Int? {
    switch source {
    case .whole(let bytes): bytes.count
    case .connection(_, _, let length): length
    case .pieces(let length, _): length
    }
  }

  /// The number of bytes that have arrived, or that the handler has taken if they arrive in pieces.
  package var receivedBytes: Int { counter?.count ?? length ?? 0 }

  /// Collects the whole body.
  ///
  /// - Parameter memory: The memory that holds the body. It grows by each piece. If that throws,
  ///   the body is abandoned. While the memory is short, the client must send faster.
  /// - Throws: `HTTPParseError.bodyTooLong` if the body exceeds the limit. A body that announces
  ///   such a length is not read at all.
  package func collect(limit: Int, into memory: (any BudgetedMemory)? = nil) async throws
    -> [UInt8]
  {
    if let length, length > limit { throw HTTPParseError.bodyTooLong }
    if case .whole(let bytes) = source {
      try memory?.grow(by: bytes.count)
      return bytes
    }
    if let memory, case .connection(let connection, let exchange, _) = source {
      await connection.collectBody(into: memory, exchange)
    }
    var collected: [UInt8] = []
    collected.reserveCapacity(length ?? 0)
    for try await piece in self {
      guard collected.count + piece.count <= limit else { throw HTTPParseError.bodyTooLong }
      try memory?.grow(by: piece.count)
      collected.append(contentsOf: piece)
    }
    return collected
  }

  package func makeAsyncIterator() -> Iterator { Iterator(source: source, counter: counter) }

  /// The iterator of a body's pieces.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: Source
    fileprivate let counter: ByteCounter?

    fileprivate init(source: Source, counter: ByteCounter?) {
      self.source = source
      self.counter = counter
    }

    /// Returns the next piece, which is never empty, or nil at the end.
    ///
    /// - Throws: `HTTPParseError` if the client disconnects, is too slow or sends an invalid body.
    package mutating func next() async throws -> [UInt8]? {
      let piece: [UInt8]?
      switch source {
      case .whole(let bytes):
        source = .whole([])
        piece = bytes.isEmpty ? nil : bytes
      case .connection(let connection, let exchange, _):
        piece = try await connection.nextBodyPart(exchange)
      case .pieces(_, let next): piece = try await next()
      }
      if let piece { counter?.add(piece.count) }
      return piece
    }
  }
}

/// A number of bytes that several tasks share.
private final class ByteCounter: Sendable {
  private let bytes = Atomic(0)

  var count: Int { bytes.load(ordering: .relaxed) }
  func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
