import CloudRecords
import CloudWire
import Cryptography

/// The user's own keys.
extension EncryptionEngine {
  /// Fetches the state of the user's keys, and creates the first keys if there are none.
  package func start() async throws -> KeyStatus {
    let (bag, kept) = (try await exchange.privateBag(of: account), try reloadStored())
    if let own = kept.own {
      return try await confirm(own, bag)
    }
    if let pending = kept.pending {
      let keys = pending.keys(of: account)
      if bag == nil || bag?.bag.identity == keys.identity {
        return try await finish(pending, keys, over: bag)
      }
      try keep { $0.pending = nil }
    }
    return bag == nil ? try await makeFirstKeys() : .needsApproval
  }

  /// Restores the user's keys from the private key bag.
  package func recover(_ code: RecoveryCode) async throws {
    guard let bag = try await exchange.privateBag(of: account) else {
      throw EncryptionError.nothingToRecover(account)
    }
    let keys = try bag.bag.open(code, account: account)
    try take(keys, code: code)
    try takeState(bag.bag.state(keys, account))
    try await publish(keys)
  }

  /// Stores the user's keys on this device.
  ///
  /// If another device has reset the encrypted data, this removes the previous keys and their
  /// rings.
  func take(_ keys: UserKeys, code: RecoveryCode?) throws {
    let isOther = try stored().own?.secret != keys.secret
    try keep {
      if isOther { $0.abandonKeys() }
      $0.own = StoredKeys.Own(secret: keys.secret, code: code)
      $0.isCodeUnseen = false
    }
    if isOther { confirmed = [] }
  }

  /// Returns the recovery code that has not been shown yet, such as one created with the first
  /// encrypted value; nil after it was shown.
  package func unseenCode() throws -> RecoveryCode? {
    let stored = try stored()
    return stored.isCodeUnseen ? stored.own?.code : nil
  }

  /// Records that the recovery code was shown.
  package func markCodeSeen() throws {
    if try stored().isCodeUnseen { try keep { $0.isCodeUnseen = false } }
  }

  /// Returns the recovery code; nil on devices that received their keys from another device, and
  /// after another device has renewed the code.
  ///
  /// - Throws: ``EncryptionError/Code/keysReplaced`` after another device has reset the keys.
  package func recoveryCode() async throws -> RecoveryCode? {
    let known = try stored()
    guard known.own?.code != nil || known.pendingCode != nil else { return nil }
    try await exchange.changePrivateBag(of: account) { bag in
      try settleCode(of: known.own, by: bag)
      return nil
    }
    return try stored().own?.code
  }

  /// Keeps the code that opens the private key bag: the present one, the pending one, or none.
  ///
  /// The response to a renewal may have been lost, or another device may have renewed the code.
  ///
  /// - Parameter own: The keys before the bag was fetched. A code that was stored since then stays.
  private func settleCode(of own: StoredKeys.Own?, by bag: PrivateBag?) throws {
    guard let own, let bag else { return }
    guard try bag.identity == userKeys().identity else { throw EncryptionError.replaced(account) }
    if let code = own.code, bag.isOpened(by: code, account: account) { return }
    try keep { $0.settleCode(of: own, by: bag, account) }
  }

  /// Creates another recovery code.
  ///
  /// The previous code does not open the current private bag.
  ///
  /// - Warning: The secret stays the same: the previous code, together with a copy of the previous
  ///   bag, opens everything, including values that are sealed later.
  package func renewRecoveryCode() async throws -> RecoveryCode {
    let (keys, code) = (try userKeys(), RecoveryCode(randomBytes: dependencies.randomBytes))
    let own = try stored().own
    try await exchange.changePrivateBag(of: account) { former in
      if let former, former.identity != keys.identity { throw EncryptionError.replaced(account) }
      // The bag may already use a pending code whose response was lost.
      try settleCode(of: own, by: former)
      // Stored before it is sent, because the response may be lost.
      try keep { $0.pendingCode = code }
      var bag = PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
      (bag.requests, bag.sealedState) = (former?.requests ?? [], former?.sealedState ?? [])
      return bag
    }
    try keep {
      $0.own = StoredKeys.Own(secret: keys.secret, code: code)
      ($0.isCodeUnseen, $0.pendingCode) = (false, nil)
    }
    return code
  }

  // MARK: The first keys

  private func makeFirstKeys() async throws -> KeyStatus {
    let code = RecoveryCode(randomBytes: dependencies.randomBytes)
    let made = StoredKeys.Own(code: code, dependencies.randomBytes)
    // Stored on this device first: a crash could otherwise leave keys that only the server has.
    // Keys that another process has created meanwhile may already be on the server.
    try keep { if $0.own == nil, $0.pending == nil { $0.pending = made } }
    let kept = try stored()
    guard kept.own == nil, let pending = kept.pending else { return try await start() }
    return try await finish(pending, pending.keys(of: account), over: nil)
  }

  /// Uploads keys that this device created.
  private func finish(
    _ made: StoredKeys.Own, _ keys: UserKeys, over present: (bag: PrivateBag, fetched: FetchedBag)?
  ) async throws -> KeyStatus {
    guard let code = made.code else { throw EncryptionError.notApproved(account) }
    if present == nil {
      let bag = PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
      guard try await exchange.save(bag.bytes, at: .privateUser, over: nil, in: .private) else {
        // Another device of the user was faster.
        return try await start()
      }
    }
    try keep { $0.usePending(made) }
    try await publish(keys)
    return .readyWithNewCode(code)
  }

  /// Compares the keys of this device with those on the server.
  private func confirm(
    _ own: StoredKeys.Own, _ present: (bag: PrivateBag, fetched: FetchedBag)?
  ) async throws -> KeyStatus {
    let keys = try userKeys()
    guard let present else { return try await restoreBag(own, keys) }
    guard present.bag.identity == keys.identity else {
      throw EncryptionError.replaced(account)
    }
    if own.code.map({ present.bag.isOpened(by: $0, account: account) }) != true {
      // The bag is fetched again, because another process may have renewed the code meanwhile.
      _ = try await recoveryCode()
    }
    try takeState(present.bag.state(keys, account))
    await sendState()
    try await publish(keys)
    return .ready
  }

  /// Uploads the private key bag again after the server lost it, under the previous code if this
  /// device knows it.
  private func restoreBag(_ own: StoredKeys.Own, _ keys: UserKeys) async throws -> KeyStatus {
    let pending = try stored().pendingCode
    let code = own.code ?? pending ?? RecoveryCode(randomBytes: dependencies.randomBytes)
    if own.code == nil { try keep { $0.pendingCode = code } }
    let bag = PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
    guard try await exchange.save(bag.bytes, at: .privateUser, over: nil, in: .private) else {
      // Another device of the user was faster.
      return try await start()
    }
    try keep {
      $0.own = StoredKeys.Own(secret: own.secret, code: code)
      if own.code == nil { ($0.isCodeUnseen, $0.pendingCode) = (true, nil) }
      $0.isStateUnsent = true
    }
    await sendState()
    try await publish(keys)
    return own.code == nil ? .readyWithNewCode(code) : .ready
  }

  /// Publishes the user's public keys, so that others can seal to them.
  func publish(_ keys: UserKeys) async throws {
    for _ in 0..<Limits.attempts {
      let bag = try await exchange.bag(at: .publicUser(nil), in: .private)
      let present = try? bag.map {
        try PublicIdentityBag.identity(
          of: $0.data, user: account.userRecordName, in: account.container)
      }
      if present == keys.identity {
        keyGeneration = bag?.generation
        return
      }
      // A reset writes the private bag before the public one, so the private bag shows which keys
      // are old.
      if present != nil, let own = try await exchange.privateBag(of: account)?.bag,
        own.identity != keys.identity
      {
        throw EncryptionError.replaced(account)
      }
      let data = PublicIdentityBag.bytes(of: keys, in: account.container)
      if let saved = try await exchange.saved(data, at: .publicUser(nil), over: bag, in: .private) {
        keyGeneration = saved
        return
      }
    }
    throw EncryptionError.busy("The user's public key bag")
  }
}

/// The result of `EncryptionEngine.start()`: whether the device has the user's keys.
package enum KeyStatus: Sendable {
  /// The device has the user's keys.
  case ready
  /// The device has the user's keys, and created a recovery code that must be shown to the user.
  case readyWithNewCode(RecoveryCode)
  /// The user has keys, but the device does not: it needs the recovery code or another device.
  case needsApproval
}
