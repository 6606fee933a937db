extension HTTPConnection {
  /// Reads from the socket and passes the bytes to the machine.
  ///
  /// A plain socket is read once, a TLS connection until nothing is left.
  func readInput() {
    inputWaits = []
    var reads = 0
    while isOpen, isReading {
      guard reads < Limits.readsPerTurn else {
        loop.repeatInput(socket)
        return
      }
      reads += 1
      switch unsafe transport.read(into: loop.readBuffer) {
      case .count(let count):
        receive(count)
        // If bytes are left in a plain socket, the poller reports the socket again.
        guard transport.mayHoldBytes else { return }
      case .waits(let events):
        if events != .input { inputWaits = events }
        return
      case .ended:
        peerHasClosed = true
        perform(machine.inputEnded())
        return
      case .failed:
        socketFailed()
        return
      }
    }
  }

  private func receive(_ count: Int) {
    let bytes = unsafe UnsafeBufferPointer(rebasing: loop.readBuffer[..<count])
    perform(unsafe machine.received(bytes.span))
  }

  /// Writes as much queued output as the socket accepts.
  func flush() {
    outputWaits = []
    var written = 0
    while isOpen, let segment = output.head {
      guard written < Limits.writtenBytesPerTurn else {
        // Other connections get their turn. The poller reports this socket again at once.
        outputWaits = .output
        break
      }
      switch write(segment) {
      case .count(let count):
        output.remove(count)
        written += count
      case .waits(let events):
        outputWaits = events
        updateOutputRateCheck(written)
        if output.count <= Limits.resumedOutputBytes { resumeDrainWaiters() }
        return
      case .ended, .failed:
        socketFailed()
        return
      }
    }
    updateOutputRateCheck(written)
    if output.count <= Limits.resumedOutputBytes { resumeDrainWaiters() }
    finishFlush()
  }

  private func write(_ segment: OutputQueue.Segment) -> Transport.Result {
    switch segment {
    case .bytes(let bytes):
      return transport.write(bytes[output.offset...], moreFollows: output.hasMore)
    case .file(let file):
      let start = file.range.lowerBound + output.offset
      let end = min(file.range.upperBound, start + Limits.fileBytesPerWrite)
      if end < file.range.upperBound {
        file.prepare(end..<min(file.range.upperBound, end + Limits.fileBytesPerWrite))
      }
      return unsafe transport.write(file, start..<end, through: loop.readBuffer)
    }
  }

  /// Notifies the machine, if it is flushing, that all output is written.
  func finishFlush() {
    guard isOpen, output.isEmpty, machine.isFlushing else { return }
    perform(machine.flushed())
  }

  // MARK: - Slow readers

  /// Counts written bytes, and checks the client's pace as long as output is queued.
  private func updateOutputRateCheck(_ written: Int) {
    writtenOfPeriod += written
    if output.isEmpty {
      outputDeadline = nil
    } else if outputDeadline == nil {
      writtenOfPeriod = 0
      outputDeadline = loop.now &+ service.timeouts.outputNanoseconds
    }
  }

  /// Closes the connection of a client that read too little of its response.
  func checkOutputRate() {
    let minimum = service.timeouts.minimalOutputBytes(isMemoryShort: output.isMemoryShort)
    // The poller reports a socket only when a third of its buffer is free. Until then, only a write
    // shows how much a slow client has read.
    if !output.isEmpty { flush() }
    outputDeadline = nil
    guard !output.isEmpty else { return }
    if writtenOfPeriod < min(minimum, output.count) {
      socketFailed()
    } else {
      updateOutputRateCheck(0)
    }
  }
}
