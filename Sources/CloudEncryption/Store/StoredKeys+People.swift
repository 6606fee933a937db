import CloudRecords

/// Decisions about people, and their keys, which the user's devices share.
extension StoredKeys {
  // MARK: Decisions

  /// The user's decisions about the people of a zone or share.
  func intents(of scope: KeyScope) -> Intents { state.intents[scope] ?? Intents() }

  /// Records decisions about the people of a zone or share.
  ///
  /// - Returns: Whether they change anything.
  mutating func decide(
    on scope: KeyScope, _ decisions: ShareDecisions, at now: Timestamp
  ) -> Bool {
    let former = intents(of: scope)
    var next = former
    next.apply(decisions, except: scope.zone.ownerName, in: rings[scope], at: now)
    guard next != former else { return false }
    state.intents[scope] = next
    // A removed person who had keys may know the link, and could pass it to the server.
    if decisions.removed.contains(where: { former.isWanted($0) == true }) {
      state.links[scope]?.withdraw()
    }
    keyRequests[scope]?.subtract(decisions.users)
    isStateUnsent = true
    return true
  }

  /// The decisions of administrators about people since this device last stored the ring; nil if no
  /// administrator has changed it.
  func administratorDecisions(in remote: KeyRing?) -> ShareDecisions? {
    guard let remote, let kept = rings[remote.scope], remote.identifier == kept.identifier,
      remote.authority.epoch < remote.epoch, !marks(of: remote.scope).isOutdated(remote)
    else { return nil }
    var decisions = ShareDecisions(of: kept, to: remote)
    // An administrator's invitation does not undo a removal by the user.
    let intents = intents(of: remote.scope)
    decisions.people = decisions.people.filter { intents.allowsInvitation(of: $0.key) }
    return decisions
  }

  /// Records the people who wait for an invitation or a confirmation after a delivery of keys.
  ///
  /// - Returns: Whether that changes anything.
  mutating func recordRequests(_ delivery: KeyDelivery, to scope: KeyScope) -> Bool {
    let requests = delivery.requests
    guard delivery.isRotated || keyRequests[scope] ?? [] != requests else { return false }
    keyRequests[scope] = requests.isEmpty ? nil : requests
    isStateUnsent = isStateUnsent || delivery.isRotated
    return true
  }

  // MARK: The state of the user's devices

  /// Changes the state that the devices share.
  ///
  /// - Returns: Whether the state changed.
  mutating func changeState(_ change: (inout DeviceState) -> Void) -> Bool {
    let former = state
    change(&state)
    guard state != former else { return false }
    isStateUnsent = true
    return true
  }

  /// Merges a state that another device has written.
  ///
  /// - Returns: Whether it contained anything new.
  mutating func takeState(_ remote: DeviceState) -> Bool {
    let former = state
    state.merge(remote)
    return state != former
  }

  /// Returns the next state to write, as far as it fits into the private key bag.
  ///
  /// If the result is the known state, there is nothing to write.
  func stateToSend(after known: NumberedState) -> NumberedState {
    let fitting = state.fitting(Limits.stateBytes)
    if known.state == fitting, known.number >= stateNumber { return known }
    return NumberedState(state: fitting, number: max(stateNumber, known.number) + 1)
  }

  /// Records that a state was written to the private key bag.
  mutating func recordSent(_ sent: NumberedState) {
    stateNumber = max(stateNumber, sent.number)
    // The state may have changed during the request.
    if state == sent.state { isStateUnsent = false }
  }
}
