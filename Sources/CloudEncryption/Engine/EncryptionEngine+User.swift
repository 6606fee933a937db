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
      let keys = UserKeys(pending.secret, userRecordName: account.userRecordName)
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
      throw EncryptionError(
        .wrongRecoveryCode,
        "The user has no keys in \(account.container.container) that a code could open. Start again."
      )
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
    let former = try stored().own.map {
      UserKeys($0.secret, userRecordName: account.userRecordName).identity
    }
    let isOther = former != keys.identity
    try keep {
      if isOther { $0.abandonKeys() }
      $0.own = StoredKeys.Own(secret: keys.secret, code: code)
      $0.isCodeUnseen = false
    }
    if isOther { confirmed = [] }
  }

  /// The recovery code that has not been shown yet, such as one created with the first encrypted
  /// value; nil after it was shown.
  package func unseenCode() throws -> RecoveryCode? {
    let stored = try stored()
    return stored.isCodeUnseen ? stored.own?.code : nil
  }

  /// Records that the recovery code was shown.
  package func markCodeSeen() throws {
    if try stored().isCodeUnseen { try keep { $0.isCodeUnseen = false } }
  }

  /// The recovery code, or nil on devices that received their keys from another device.
  package func recoveryCode() throws -> RecoveryCode? { try stored().own?.code }

  /// Creates another recovery code.
  ///
  /// The previous code does not open the current private bag.
  ///
  /// - Warning: The secret stays the same: the previous code and a copy of the previous bag open
  ///   everything, including values that are sealed later.
  package func renewRecoveryCode() async throws -> RecoveryCode {
    let (keys, code) = (try userKeys(), RecoveryCode(randomBytes: dependencies.randomBytes))
    try await exchange.changePrivateBag(of: account) { former in
      if let former, former.identity != keys.identity { throw EncryptionError.replaced(account) }
      var bag = PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
      (bag.requests, bag.sealedState) = (former?.requests ?? [], former?.sealedState ?? [])
      return bag
    }
    try keep {
      $0.own = StoredKeys.Own(secret: keys.secret, code: code)
      $0.isCodeUnseen = false
    }
    return code
  }

  // MARK: The first keys

  private func makeFirstKeys() async throws -> KeyStatus {
    let code = RecoveryCode(randomBytes: dependencies.randomBytes)
    let made = StoredKeys.Own(
      secret: .make(UserKeys.secretByteCount, dependencies.randomBytes), code: code)
    // Stored on this device first: a crash could otherwise leave keys that only the server has.
    // Keys that another process has created meanwhile may already be on the server.
    try keep { if $0.own == nil, $0.pending == nil { $0.pending = made } }
    let kept = try stored()
    guard kept.own == nil, let pending = kept.pending else { return try await start() }
    return try await finish(
      pending, UserKeys(pending.secret, userRecordName: account.userRecordName), over: nil)
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
    try keep {
      $0.own = made
      $0.pending = nil
      $0.isCodeUnseen = true
    }
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
    try takeState(present.bag.state(keys, account))
    if try stored().isStateUnsent { try await shareState() }
    try await publish(keys)
    return .ready
  }

  /// Uploads the private key bag again after the server lost it, under the previous code if this
  /// device knows it.
  private func restoreBag(_ own: StoredKeys.Own, _ keys: UserKeys) async throws -> KeyStatus {
    let code = own.code ?? RecoveryCode(randomBytes: dependencies.randomBytes)
    let bag = PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
    guard try await exchange.save(bag.bytes, at: .privateUser, over: nil, in: .private) else {
      // Another device of the user was faster.
      return try await start()
    }
    try keep {
      $0.own = StoredKeys.Own(secret: own.secret, code: code)
      if own.code == nil { $0.isCodeUnseen = true }
      $0.isStateUnsent = true
    }
    try await shareState()
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

/// The state of a device after its start.
package enum KeyStatus: Sendable {
  /// The device has the user's keys.
  case ready
  /// The device has the user's keys, and created a recovery code that must be shown to the user.
  case readyWithNewCode(RecoveryCode)
  /// The user has keys, but the device does not. It needs the recovery code or another device.
  case needsApproval
}
