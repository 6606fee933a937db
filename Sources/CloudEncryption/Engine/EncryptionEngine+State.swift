/// The exchange of the devices' state through the private key bag.
///
///     start, recovery, approval ──▶ take over the state in the bag
///     a person is verified, a participant or a zone is gone, another device is approved ──▶ write
extension EncryptionEngine {
  /// Adds this device's state to the private key bag, and the bag's to this device.
  ///
  /// Writes nothing if the bag is up to date.
  func shareState() async throws {
    let keys = try userKeys()
    var number: Int64?
    try await exchange.changePrivateBag(of: account) { bag in
      guard var bag, bag.identity == keys.identity else { return nil }
      let known = bag.state(keys, account) ?? NumberedState()
      try takeState(known)
      let stored = try stored()
      let isKnown = known.state == stored.state && known.number >= stored.stateNumber
      let next = isKnown ? known.number : max(stored.stateNumber, known.number) + 1
      number = next
      if isKnown { return nil }
      bag.setState(
        NumberedState(state: stored.state, number: next), keys, account, dependencies.randomBytes)
      return bag
    }
    guard let number else { return }
    try keep {
      $0.stateNumber = max($0.stateNumber, number)
      $0.isStateUnsent = false
    }
  }

  /// Takes over a state from the private key bag.
  func takeState(_ remote: NumberedState?) throws {
    guard let remote else { return }
    var merged = try stored().state
    merged.merge(remote.state)
    guard try merged != stored().state else { return }
    try keep { $0.state.merge(remote.state) }
  }
}
