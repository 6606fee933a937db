extension HTTPConnectionMachine {
  /// The form of a response's body, which its head announces.
  package enum OutgoingBody: Equatable, Sendable {
    /// The complete body.
    case bytes([UInt8])
    /// A body in parts that follow. Their total length may be unknown.
    case parts(length: Int?)
  }

  /// Handles a handler's response.
  ///
  /// If its body comes in parts, `part` and `responseEnded` follow.
  ///
  /// - Throws: An error in the header fields, before anything is written. The handler may then give
  ///   another response.
  package mutating func respond(
    _ status: HTTPStatus, _ headers: HTTPHeaders, _ body: OutgoingBody, stamp: ResponseStamp
  ) throws(HTTPHeaderError) -> [Action] {
    guard phase == .answering, let answer else { return [] }
    precondition(answer.framing == nil, "A request has only one response.")
    let keepsAlive = staysAfter(answer, body)
    let framing = framing(of: body, status: status, answer)
    var head = try ResponseHead.bytes(
      status: status, headers: headers,
      framing: fields(of: body, status: status, answer, keepsAlive: keepsAlive),
      stamp: stamp)
    closesAfterAnswer = !keepsAlive
    self.answer?.framing = framing
    guard case .bytes(let bytes) = body else { return [.write(head)] }
    var actions: [Action] = []
    if framing == .nothing {
      actions.append(.write(head))
    } else if bytes.count <= Limits.joinedBodyBytes {
      head.append(contentsOf: bytes)
      actions.append(.write(head))
    } else {
      actions += [.write(head), .write(bytes)]
    }
    finishAnswer(&actions)
    settle(&actions)
    return actions
  }

  /// Whether the response to the current request has begun.
  package var hasResponded: Bool { phase != .answering || answer?.framing != nil }

  /// Whether the response may have a body.
  ///
  /// If not, a handler need not create one.
  package var wantsBody: Bool { phase == .answering && answer?.framing != .nothing }

  /// Handles a part of the response's body.
  package mutating func part(_ bytes: [UInt8]) throws(HTTPWriteError) -> [Action] {
    guard phase == .answering, let framing = answer?.framing else { throw .clientLeft }
    switch framing {
    case .nothing: return []
    case .close: return bytes.isEmpty ? [] : [.write(bytes)]
    case .chunked: return bytes.isEmpty ? [] : [.write(Self.chunk(bytes))]
    case .length:
      try countPart(bytes.count)
      return bytes.isEmpty ? [] : [.write(bytes)]
    }
  }

  /// Returns the framing around bytes of the body that do not pass through `part`, such as a
  /// file's.
  package mutating func framing(ofPart count: Int) throws(HTTPWriteError) -> (
    before: [UInt8], after: [UInt8]
  ) {
    guard phase == .answering, let framing = answer?.framing else { throw .clientLeft }
    if case .length = framing { try countPart(count) }
    guard framing == .chunked, count > 0 else { return ([], []) }
    return (Array((String(count, radix: 16) + "\r\n").utf8), Array("\r\n".utf8))
  }

  private mutating func countPart(_ count: Int) throws(HTTPWriteError) {
    guard case .length(let remaining)? = answer?.framing else { return }
    guard count <= remaining else { throw .longerThanAnnounced }
    answer?.framing = .length(remaining: remaining - count)
  }

  /// Handles the end of the response's body.
  package mutating func responseEnded() -> [Action] {
    guard phase == .answering else { return [] }
    var actions: [Action] = []
    switch answer?.framing {
    case .chunked: actions.append(.write(Array("0\r\n\r\n".utf8)))
    case .length(let remaining) where remaining > 0:
      abandon(&actions)
      return actions
    default: break
    }
    finishAnswer(&actions)
    settle(&actions)
    return actions
  }

  /// Handles an error that a handler threw after the head of its response.
  ///
  /// Only an aborted connection can signal the error to the client.
  package mutating func responseFailed() -> [Action] {
    guard phase == .answering else { return [] }
    var actions: [Action] = []
    abandon(&actions)
    return actions
  }

  /// Handles the end of writing: all output has been written.
  package mutating func flushed() -> [Action] {
    guard phase == .flushing else { return [] }
    var actions: [Action] = []
    if case .discarding = reading {
      phase = .lingering
      actions.append(.finishOutput)
      settle(&actions)
    } else {
      close(&actions)
    }
    return actions
  }

  /// Rejects a request before a handler runs.
  mutating func refuse(_ error: HTTPParseError, _ actions: inout [Action]) {
    actions.append(.refuse(error))
    phase = .flushing
    reading = .discarding
    pending = []
  }

  private mutating func finishAnswer(_ actions: inout [Action]) {
    answer = nil
    if case .complete = reading, !closesAfterAnswer, !isDraining {
      phase = .idle
      reading = .head
      processPending(&actions)
      return
    }
    phase = .flushing
    // Closing with unread bytes would cause a reset, which destroys the response on its way.
    if case .body = reading { reading = .discarding }
    if !pending.isEmpty { reading = .discarding }
    pending = []
  }

  private func staysAfter(_ answer: Answer, _ body: OutgoingBody) -> Bool {
    guard case .complete = reading, answer.keepsAlive, !closesAfterAnswer, !isDraining else {
      return false
    }
    return answer.version == .http11 || body != .parts(length: nil)
  }

  private func framing(of body: OutgoingBody, status: HTTPStatus, _ answer: Answer)
    -> ResponseFraming
  {
    guard !answer.isHeadRequest, !status.forbidsBody else { return .nothing }
    switch body {
    case .bytes(let bytes): return .length(remaining: bytes.count)
    case .parts(let length?): return .length(remaining: length)
    case .parts(nil): return answer.version == .http11 ? .chunked : .close
    }
  }

  private func fields(
    of body: OutgoingBody, status: HTTPStatus, _ answer: Answer, keepsAlive: Bool
  ) -> ResponseHead.Framing {
    var fields = ResponseHead.Framing(keepsAlive: keepsAlive, version: answer.version)
    guard !status.forbidsBody else { return fields }
    switch body {
    case .bytes(let bytes): fields.contentLength = bytes.count
    case .parts(let length): fields.contentLength = length
    }
    fields.isChunked = answer.version == .http11
    return fields
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    var chunk: [UInt8] = []
    chunk.reserveCapacity(bytes.count + 20)
    chunk.append(hexadecimal: bytes.count)
    chunk.append("\r\n")
    chunk.append(contentsOf: bytes)
    chunk.append("\r\n")
    return chunk
  }
}
