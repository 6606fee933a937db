/// The pieces of a request's body that wait between the socket and the handler.
struct RequestBodyQueue {
  private var pieces: [[UInt8]] = []
  private var first = 0
  private var isFinished = false
  private var error: HTTPParseError?
  /// The handler that waits for the next piece, if any.
  private var waiter: CheckedContinuation<Void, Never>?

  /// The outcome of a handler's request for the next piece.
  enum Next {
    case piece([UInt8])
    case end
    case failure(HTTPParseError)
    case nothingYet
  }

  mutating func append(_ bytes: [UInt8]) {
    pieces.append(bytes)
    wake()
  }

  /// Ends the queue, because the body is complete or because it failed.
  mutating func finish(_ error: HTTPParseError?) {
    isFinished = true
    self.error = error
    wake()
  }

  mutating func next() -> Next {
    if let error { return .failure(error) }
    guard first < pieces.count else { return isFinished ? .end : .nothingYet }
    defer { advance() }
    return .piece(pieces[first])
  }

  private mutating func advance() {
    pieces[first] = []
    first += 1
    guard first == pieces.count else { return }
    pieces.removeAll(keepingCapacity: true)
    first = 0
  }

  /// Suspends a handler until the queue changes.
  ///
  /// A body has one reader at a time.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    precondition(waiter == nil, "Two tasks read the body of one request.")
    waiter = continuation
  }

  /// Resumes the waiting handler.
  mutating func wake() {
    waiter?.resume()
    waiter = nil
  }
}
