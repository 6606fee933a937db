package import CloudRecords
import CloudWire

/// Starting over when keys are lost.
extension EncryptionEngine {
  /// Gives up what is encrypted in a zone of the user's own.
  ///
  /// The server deletes the zone with all it holds. Until it is made anew, whoever names it is told
  /// why: `zoneNotFound` with `CKErrorUserDidResetEncryptedDataKey` (on the wire
  /// `ENCRYPTED_DATA_RESET`). Devices that still have the records make the zone anew and send
  /// everything again, under keys that are made then.
  package func resetZone(_ zone: RecordZoneIdentifier) async throws {
    let scope = KeyScope(zone: zone)
    try requireOwner(of: scope)
    let operation = KeyBagsModifyRequest.Operation(.reset, scope.place)
    let result = try await exchange.modify(
      KeyBagsModifyRequest(operations: [operation]), in: .private
    ).first
    // A zone that is gone has nothing that could be given up.
    if case .failed(let error) = result, error.code != .zoneNotFound { throw error }
    try forgetKeys(of: zone)
  }

  /// Gives up everything that is encrypted, and makes new keys: for a user who has neither a device
  /// with the keys nor the recovery code.
  ///
  /// It can be called again where it was interrupted. Others have to trust the user's new keys
  /// before they hand out theirs to them.
  ///
  /// - Parameter zones: All zones of the user's private database that hold encrypted values. The
  ///   default zone cannot go: it gets other keys, and what is sealed in it under the former ones
  ///   opens no more.
  /// - Returns: The new recovery code, which must be shown.
  package func resetEverything(zones: [RecordZoneIdentifier]) async throws -> RecoveryCode {
    let code = RecoveryCode(randomBytes: dependencies.randomBytes)
    let made = StoredKeys.Own(
      secret: .make(UserKeys.secretByteCount, dependencies.randomBytes), code: code)
    let keys = UserKeys(made.secret, userRecordName: account.userRecordName)
    try keep {
      $0.pending = made
      $0.own = nil
      $0.rings = [:]
      $0.toSealAnew = []
    }
    confirmed = []
    try await changePrivateBag { _ in
      PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
    }
    try keep {
      $0.own = made
      $0.pending = nil
      $0.isCodeUnseen = true
    }
    // Before the zones go: what another device seals under the former keys into one that was made
    // anew is refused.
    try await publish(keys)
    for zone in zones {
      if zone.isDefaultZone {
        try await replaceRing(of: KeyScope(zone: zone), keys)
      } else {
        try await resetZone(zone)
      }
    }
    try noteCodeSeen()
    return code
  }

  /// Puts another ring in the place of one that nobody can open any more.
  private func replaceRing(of scope: KeyScope, _ keys: UserKeys) async throws {
    for _ in 0..<Limits.attempts {
      guard let bag = try await exchange.bag(at: scope.place, in: .private) else { return }
      let ring = KeyRing(scope: scope, owner: keys.identity, randomBytes: dependencies.randomBytes)
      let data = try KeyRingBag.bytes(
        of: ring, signedBy: keys, in: account.container, dependencies.randomBytes)
      if try await exchange.save(data, at: scope.place, over: bag, in: .private) { return }
    }
    throw Self.busy("The key bag of \(scope.name)")
  }
}
