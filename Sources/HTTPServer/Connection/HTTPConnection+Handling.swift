extension HTTPConnection {
  /// A handler that is suspended until the output queue has drained.
  struct WriteWaiter {
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Starts a task that runs the handler for a request.
  func begin(_ head: HTTPRequestHead, _ start: RequestBodyStart) {
    exchange += 1
    body = RequestBodyQueue()
    bodyMemory = nil
    let request = request(head, start)
    requestID = request.id
    let exchange = exchange
    loop.taskBegan()
    task = Task(executorPreference: loop) {
      await self.answer(request, exchange)
      self.loop.taskEnded()
    }
  }

  private func request(_ head: HTTPRequestHead, _ start: RequestBodyStart) -> HTTPRequest {
    let source: HTTPRequestBody.Source =
      switch start {
      case .whole(let bytes): .whole(bytes)
      case .stream: .connection(self, exchange: exchange, length: head.contentLength)
      }
    return HTTPRequest(
      head: head, id: loop.takeRequestID(), remoteAddress: remoteAddress,
      isSecure: transport.mayHoldBytes,
      body: HTTPRequestBody(source))
  }

  private func answer(_ request: HTTPRequest, _ exchange: Int) async {
    do {
      let response = try await service.handler(request)
      try await send(response, exchange)
    } catch {
      fail(error, request, exchange)
    }
    if self.exchange == exchange { task = nil }
  }

  // MARK: - Responses

  private func send(_ response: HTTPResponse, _ exchange: Int) async throws {
    // Small responses to many pipelined requests must not accumulate.
    try await waitForDrain(exchange)
    switch response.body {
    case .bytes(let bytes) where bytes.count <= Limits.joinedBodyBytes:
      try respond(response, .bytes(bytes), exchange)
    case .bytes(let bytes):
      try respond(response, .parts(length: bytes.count), exchange)
      try await writePart(bytes, exchange, retaining: response.retained)
      end(exchange)
    case .file(let file):
      try respond(response, .parts(length: file.count), exchange)
      try await writeFile(file, exchange)
      end(exchange)
    case .parts(let length, let body):
      try respond(response, .parts(length: length), exchange)
      if machine.wantsBody {
        try await body(HTTPResponseWriter(connection: self, exchange: exchange))
      }
      end(exchange)
    }
  }

  private func respond(
    _ response: HTTPResponse, _ body: HTTPConnectionMachine.OutgoingBody, _ exchange: Int
  ) throws {
    guard isCurrent(exchange) else { throw HTTPWriteError.clientLeft }
    let actions = try machine.respond(
      response.status, response.headers, body, stamp: loop.stamp(requestID))
    perform(actions)
    if case .bytes = body { output.retain(response.retained) }
    settle()
  }

  private func end(_ exchange: Int) {
    guard isCurrent(exchange) else { return }
    perform(machine.responseEnded())
    settle()
  }

  /// Answers an error that a handler threw, or ends the connection if a response had begun.
  private func fail(_ error: any Error, _ request: HTTPRequest, _ exchange: Int) {
    guard isCurrent(exchange) else { return }
    if machine.hasResponded {
      service.report(.responseFailed(request.id, error))
      perform(machine.responseFailed())
      settle()
      return
    }
    do {
      try respond(response(to: error, request), exchange: exchange)
    } catch {
      preconditionFailure("The header fields of the server's own responses must be valid: \(error)")
    }
  }

  private func respond(_ response: HTTPResponse, exchange: Int) throws {
    guard case .bytes(let bytes) = response.body else { return }
    try respond(response, .bytes(bytes), exchange)
  }

  private func response(to error: any Error, _ request: HTTPRequest) -> HTTPResponse {
    switch error {
    case let failure as HTTPFailure:
      return HTTPResponse(failure.status, text: failure.message + "\n")
    case let error as HTTPParseError:
      return HTTPResponse(error.status, text: error.rawValue + "\n")
    default:
      if !(error is CancellationError) { service.report(.handlerFailed(request.id, error)) }
      return HTTPResponse(
        .internalServerError, text: "The server could not answer request \(request.id).\n")
    }
  }

  func isCurrent(_ exchange: Int) -> Bool { isOpen && self.exchange == exchange }

  // MARK: - Calls from handlers

  /// Requires a request's body to arrive faster while the memory that holds it is short.
  func collectBody(into memory: any BudgetedMemory, _ exchange: Int) {
    if isCurrent(exchange) { bodyMemory = memory }
  }

  /// Returns the next piece of a request's body.
  func nextBodyPart(_ exchange: Int) async throws -> [UInt8]? {
    while true {
      guard self.exchange == exchange else { throw HTTPParseError.clientLeft }
      perform(machine.bodyDemanded())
      switch body.next() {
      case .piece(let bytes):
        perform(machine.bodyConsumed(bytes.count))
        settle()
        return bytes
      case .end: return nil
      case .failure(let error): throw error
      case .nothingYet:
        settle()
        try await waitForBody()
      }
    }
  }

  private func waitForBody() async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { body.wait($0) }
    } onCancel: {
      Task(executorPreference: loop) { await self.wakeBody() }
    }
    try Task.checkCancellation()
  }

  private func wakeBody() { body.wake() }

  /// Writes a part of a response's body, and suspends while too much output is queued.
  ///
  /// - Parameter memory: The memory of the bytes, which is kept until the last one is written.
  func writePart(
    _ bytes: [UInt8], _ exchange: Int, retaining memory: (any BudgetedMemory)? = nil
  ) async throws {
    try await waitForDrain(exchange)
    guard isCurrent(exchange) else { throw HTTPWriteError.clientLeft }
    perform(try machine.part(bytes))
    output.retain(memory)
    settle()
    try await waitForDrain(exchange)
  }

  /// Writes a file into a response's body.
  func writeFile(_ file: HTTPFile, _ exchange: Int) async throws {
    guard isCurrent(exchange) else { throw HTTPWriteError.clientLeft }
    guard machine.wantsBody else { return }
    let (before, after) = try machine.framing(ofPart: file.count)
    output.append(.bytes(before))
    output.append(.file(file))
    output.append(.bytes(after))
    perform([])
    settle()
    try await waitForDrain(exchange)
  }

  private func waitForDrain(_ exchange: Int) async throws {
    guard isCurrent(exchange), output.count > Limits.queuedOutputBytes else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { drainWaiters.append(WriteWaiter(continuation: $0)) }
    } onCancel: {
      Task(executorPreference: loop) { await self.wakeWriters() }
    }
    try Task.checkCancellation()
  }

  private func wakeWriters() { resumeDrainWaiters() }

  func resumeDrainWaiters() {
    guard !drainWaiters.isEmpty else { return }
    let waiters = drainWaiters
    drainWaiters = []
    for waiter in waiters { waiter.continuation.resume() }
  }
}
