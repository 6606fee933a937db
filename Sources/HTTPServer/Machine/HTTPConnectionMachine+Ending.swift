extension HTTPConnectionMachine {
  /// Handles the timer that was armed last.
  ///
  /// - Parameter isMemoryShort: Whether the memory that holds the body of the request is short.
  package mutating func timerFired(isMemoryShort: Bool = false) -> [Action] {
    var actions: [Action] = []
    forgetTimer()
    switch phase {
    case .idle where pending.isEmpty: close(&actions)
    case .idle: refuse(.headTooSlow, &actions)
    case .answering: checkBodyRate(isMemoryShort, &actions)
    case .lingering: close(&actions)
    case .flushing, .closed: break
    }
    settle(&actions)
    return actions
  }

  private mutating func checkBodyRate(_ isMemoryShort: Bool, _ actions: inout [Action]) {
    let minimum =
      isMemoryShort ? settings.minimalBodyBytesInShortage : settings.minimalBodyBytesPerPeriod
    guard case .body = reading, bodyBytesOfPeriod < minimum else { return }
    failBody(.bodyTooSlow, &actions)
  }

  /// Handles a shutdown: the current request finishes, and no new one begins.
  package mutating func drain() -> [Action] {
    isDraining = true
    var actions: [Action] = []
    if !isBusy { closeWhenFlushed() }
    settle(&actions)
    return actions
  }

  /// Closes an idle connection after its last response is written.
  mutating func closeWhenFlushed() {
    phase = .flushing
    reading = .ended
    pending = []
  }

  /// Handles a failed socket or a client that reads too slowly.
  ///
  /// All queued output is lost.
  package mutating func lost() -> [Action] {
    var actions: [Action] = []
    abandon(&actions)
    return actions
  }

  /// Ends the connection at once, so that the client detects a failure.
  mutating func abandon(_ actions: inout [Action]) {
    end(with: .abort, &actions)
  }

  mutating func close(_ actions: inout [Action]) {
    end(with: .close, &actions)
  }

  private mutating func end(with action: Action, _ actions: inout [Action]) {
    guard phase != .closed else { return }
    if phase == .answering {
      if case .body = reading { actions.append(.failBody(.clientLeft)) }
      actions.append(.cancelHandler)
    }
    phase = .closed
    reading = .ended
    answer = nil
    pending = []
    actions.append(action)
  }
}
