/// The pieces of a request's body between the socket and the handler.
struct RequestBodyQueue {
  private var pieces: [[UInt8]] = []
  private var first = 0
  private var isFinished = false
  private var violation: HTTPParseError?
  /// The handler that waits for the next piece, if one does.
  private var waiter: CheckedContinuation<Void, Never>?

  /// What a handler gets next.
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

  /// No more pieces come, be it that the body is whole or that it never will be.
  mutating func finish(_ violation: HTTPParseError?) {
    isFinished = true
    self.violation = violation
    wake()
  }

  mutating func next() -> Next {
    if let violation { return .failure(violation) }
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

  /// Lets a handler wait for a change.
  ///
  /// A body has one reader at a time.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    precondition(waiter == nil, "Two tasks read the body of one request.")
    waiter = continuation
  }

  /// Lets the handler look again.
  mutating func wake() {
    waiter?.resume()
    waiter = nil
  }
}
