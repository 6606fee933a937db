extension HTTPConnectionMachine {
  /// Handles bytes from the client.
  package mutating func received(_ bytes: Span<UInt8>) -> [Action] {
    var actions: [Action] = []
    if pending.isEmpty {
      let used = process(bytes, &actions)
      pending.append(copying: bytes.extracting(used..<bytes.count))
    } else {
      pending.append(copying: bytes)
      processPending(&actions)
    }
    settle(&actions)
    return actions
  }

  /// Continues with bytes that had to wait.
  mutating func processPending(_ actions: inout [Action]) {
    guard !pending.isEmpty else { return }
    let bytes = pending
    pending = []
    let used = process(bytes.span, &actions)
    pending = used == 0 ? bytes : Array(bytes[used...])
  }

  /// Handles the end of the client's input.
  ///
  /// The machine does not support half-closed connections: it treats such a client as disconnected.
  package mutating func inputEnded() -> [Action] {
    var actions: [Action] = []
    switch phase {
    case .idle: closeWhenFlushed()
    case .lingering: close(&actions)
    case .answering:
      if case .body = reading { actions.append(.failBody(.clientLeft)) }
      closesAfterAnswer = true
      actions.append(.cancelHandler)
    case .flushing, .closed: break
    }
    reading = phase == .closed ? reading : .ended
    settle(&actions)
    return actions
  }

  /// Handles a handler's request for bytes of the body.
  package mutating func bodyDemanded() -> [Action] {
    guard phase == .answering, answer?.awaitsContinue == true else { return [] }
    answer?.awaitsContinue = false
    var actions: [Action] =
      answer?.framing == nil ? [.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))] : []
    settle(&actions)
    return actions
  }

  /// Handles bytes of the body that the handler has removed from its queue.
  package mutating func bodyConsumed(_ count: Int) -> [Action] {
    guard phase == .answering else { return [] }
    queuedBodyBytes -= count
    var actions: [Action] = []
    settle(&actions)
    return actions
  }

  /// Parses as many bytes as possible, and returns the number of consumed bytes.
  private mutating func process(_ bytes: Span<UInt8>, _ actions: inout [Action]) -> Int {
    var place = 0
    while place < bytes.count {
      switch reading {
      case .head:
        guard readHead(bytes, at: &place, &actions) else { return place }
      case .body(let decoder):
        readBody(decoder, bytes, at: &place, &actions)
      case .complete: return place
      case .discarding:
        discard(bytes.count - place, &actions)
        return bytes.count
      case .ended: return bytes.count
      }
    }
    return place
  }

  /// Reads a head.
  ///
  /// Returns false if it is incomplete.
  private mutating func readHead(
    _ bytes: Span<UInt8>, at place: inout Int, _ actions: inout [Action]
  ) -> Bool {
    let rest = bytes.extracting(place..<bytes.count)
    do throws(HTTPParseError) {
      guard let parsed = try parser.parse(rest) else { return false }
      place += parsed.byteCount
      parser = HTTPHeadParser()
      try begin(HTTPRequestHead(parsed, of: rest), bytes, at: &place, &actions)
    } catch {
      refuse(error, &actions)
    }
    return true
  }

  private mutating func begin(
    _ head: HTTPRequestHead, _ bytes: Span<UInt8>, at place: inout Int, _ actions: inout [Action]
  ) throws(HTTPParseError) {
    let length = head.contentLength ?? 0
    guard length <= settings.maximumBodyBytes else { throw .bodyTooLong }
    phase = .answering
    answer = Answer(to: head)
    (bodyBytes, queuedBodyBytes) = (0, 0)
    if let decoder = RequestBodyDecoder(head.parsed.framing),
      length == 0 || bytes.count - place < length
    {
      reading = .body(decoder)
      actions.append(.begin(head, .stream))
    } else {
      reading = .complete
      answer?.awaitsContinue = false
      actions.append(
        .begin(head, .whole([UInt8](copying: bytes.extracting(place..<place + length)))))
      place += length
    }
  }

  private mutating func readBody(
    _ decoder: RequestBodyDecoder, _ bytes: Span<UInt8>, at place: inout Int,
    _ actions: inout [Action]
  ) {
    var decoder = decoder
    answer?.awaitsContinue = false
    do throws(HTTPParseError) {
      let (body, isEnd) = try decoder.take(from: bytes, at: &place)
      reading = isEnd ? .complete : .body(decoder)
      try count(body.count)
      if !body.isEmpty { actions.append(.body(body)) }
      if isEnd { actions.append(.endBody) }
    } catch {
      place = bytes.count
      failBody(error, &actions)
    }
  }

  private mutating func count(_ bytes: Int) throws(HTTPParseError) {
    bodyBytes += bytes
    bodyBytesOfPeriod += bytes
    guard bodyBytes <= settings.maximumBodyBytes else { throw .bodyTooLong }
    queuedBodyBytes += bytes
  }

  /// Handles a body that cannot become complete.
  ///
  /// The handler receives the error and answers, and then the connection ends.
  mutating func failBody(_ error: HTTPParseError, _ actions: inout [Action]) {
    reading = .discarding
    closesAfterAnswer = true
    actions.append(.failBody(error))
  }

  private mutating func discard(_ count: Int, _ actions: inout [Action]) {
    discardedBytes += count
    guard discardedBytes > Limits.lingeringBytes else { return }
    abandon(&actions)
  }
}
