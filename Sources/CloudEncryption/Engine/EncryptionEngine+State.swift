/// The exchange of the devices' state through the private key bag.
///
///     start, recovery, approval ──▶ take over the state in the bag
///     a person is verified, a participant or a zone is gone, another device is approved ──▶ write
///     a person is invited, a write fails ──▶ write at the next start
extension EncryptionEngine {
  /// Sends changes of the state that are not in the private key bag yet.
  ///
  /// If that fails, the next start retries. A failure does not prevent opening or sealing values.
  package func sendState() async {
    if (try? stored().isStateUnsent) == true { try? await shareState() }
  }

  /// Adds this device's state to the private key bag, and the bag's to this device.
  ///
  /// Writes nothing if the bag is up to date.
  func shareState() async throws {
    let keys = try userKeys()
    var sent: NumberedState?
    try await exchange.changePrivateBag(of: account) { bag in
      sent = nil
      guard var bag, bag.identity == keys.identity else { return nil }
      let known = bag.state(keys, account) ?? NumberedState()
      try takeState(known)
      let stored = try stored()
      let next = stored.stateToSend(after: known)
      sent = NumberedState(state: stored.state, number: next.number)
      if next == known { return nil }
      bag.setState(next, keys, account, dependencies.randomBytes)
      return bag
    }
    guard let sent else { return }
    try keep { $0.recordSent(sent) }
  }

  /// Takes over a state from the private key bag.
  func takeState(_ remote: NumberedState?) throws {
    guard let remote else { return }
    try keepChange { $0.takeState(remote.state) }
  }
}
