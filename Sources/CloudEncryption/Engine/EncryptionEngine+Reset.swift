package import CloudRecords
import CloudWire

/// Starting over after keys were lost.
extension EncryptionEngine {
  /// Abandons the encrypted values in one of the user's own zones.
  ///
  /// The server deletes the zone with its contents. Until the zone is created again, requests for
  /// it fail with `zoneNotFound` and `CKErrorUserDidResetEncryptedDataKey` (`ENCRYPTED_DATA_RESET`
  /// on the wire). Devices that still have the records create the zone and send them again, under
  /// new keys.
  package func resetZone(_ zone: RecordZoneIdentifier) async throws {
    try await abandon(zone)
    await sendState()
  }

  private func abandon(_ zone: RecordZoneIdentifier) async throws {
    let scope = KeyScope(zone: zone)
    try requireOwner(of: scope)
    let operation = KeyBagsModifyRequest.Operation(.reset, scope.place)
    let result = try await exchange.modify(
      KeyBagsModifyRequest(operations: [operation]), in: .private
    ).first
    // A zone that does not exist has nothing to abandon.
    if case .failed(let error) = result, error.code != .zoneNotFound { throw error }
    try withdrawInvitations(in: zone)
    try forgetKeys(of: zone)
  }

  /// Abandons all encrypted values and creates new keys, for a user who has lost all devices and
  /// the recovery code.
  ///
  /// It can be called again after an interruption. Other users have to trust the user's new keys
  /// before they seal keys to them.
  ///
  /// - Parameter zones: All zones of the user's private database with encrypted values. The default
  ///   zone cannot be deleted: it gets new keys, and values under its previous keys can no longer
  ///   be opened.
  /// - Returns: The new recovery code, which must be shown.
  package func resetEverything(zones: [RecordZoneIdentifier]) async throws -> RecoveryCode {
    let code = RecoveryCode(randomBytes: dependencies.randomBytes)
    let made = StoredKeys.Own(code: code, dependencies.randomBytes)
    let keys = made.keys(of: account)
    try keep { $0.replaceKeys(by: made) }
    confirmed = []
    try await exchange.changePrivateBag(of: account) { _ in
      PrivateBag(keys, code: code, account: account, dependencies.randomBytes)
    }
    try keep { $0.usePending(made) }
    // Published before the zones are deleted, so that the server rejects values that another device
    // seals under the previous keys in a recreated zone.
    try await publish(keys)
    for zone in zones {
      if zone.isDefaultZone {
        try await replaceRing(of: KeyScope(zone: zone), keys)
      } else {
        try await abandon(zone)
      }
    }
    await sendState()
    try markCodeSeen()
    return code
  }

  /// Replaces a key ring that no device can open.
  private func replaceRing(of scope: KeyScope, _ keys: UserKeys) async throws {
    for _ in 0..<Limits.attempts {
      guard let bag = try await exchange.bag(at: scope.place, in: .private) else { return }
      let ring = KeyRing(scope: scope, owner: keys.identity, randomBytes: dependencies.randomBytes)
      let isSaved = try await exchange.save(
        ring, of: account, signedBy: keys, over: bag, in: .private, dependencies.randomBytes)
      if isSaved { return }
    }
    throw EncryptionError.busy("The key bag of \(scope.name)")
  }
}
