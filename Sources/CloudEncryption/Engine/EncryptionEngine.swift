package import CloudRecords
import CloudWire
import Cryptography

/// The encryption of one account on one device: its keys, the key rings of zones and shares, and
/// the values that are sealed under them.
///
///             start ──▶ ready                       the device has the user's keys
///               │
///               └─────▶ needs approval ──recover──▶ ready        by the recovery code
///                              └────── devices ───▶ ready        by another device
///
/// The engine contacts the server to create, find or pass on keys, and stores the results in the
/// key store.
package actor EncryptionEngine {
  /// The dependencies of an engine: randomness, the clock, and the device's name.
  package struct Dependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var randomBytes: RandomBytes
    /// The device's name, which the user's other devices show.
    package var deviceName: String

    package init(
      now: @escaping @Sendable () -> Timestamp, deviceName: String = "",
      randomBytes: @escaping RandomBytes = { SecureRandom.bytes($0) }
    ) {
      self.now = now
      self.deviceName = DeviceName.cleaned(deviceName)
      self.randomBytes = randomBytes
    }
  }

  package nonisolated let account: EncryptionAccount
  let store: any KeyStore
  let exchange: any KeyBagExchange
  let dependencies: Dependencies
  /// The contents of the key store when this engine last read them.
  private var seen: StoredKeys?
  /// The user's keys, derived from the stored secret.
  private var computed: UserKeys?
  /// Scopes whose ring this engine has compared with the server's.
  var confirmed: Set<KeyScope> = []
  /// The last saves of records that this engine has seen.
  var seenSaves = SeenSaves()
  /// The hashes of values whose signatures this engine has verified.
  var verifiedSignatures = VerifiedSignatures()
  /// The generation of the public key bag with this device's keys, or nil before the comparison.
  package internal(set) var keyGeneration: Int64?
  /// This device's own request for the keys.
  ///
  /// It is only changed in place, never from a copy that was made before a suspension.
  var newDevice: NewDevice?
  /// The requests that this device may have in the private key bag.
  var ownRequests: Set<[UInt8]> = []
  /// The approvals that this device started, by request.
  ///
  /// They survive errors, so that no request gets a second challenge.
  var approvals: [[UInt8]: OpenedApproval] = [:]

  package init(
    account: EncryptionAccount, store: any KeyStore, exchange: any KeyBagExchange,
    dependencies: Dependencies
  ) {
    self.account = account
    self.store = store
    self.exchange = exchange
    self.dependencies = dependencies
  }

  // MARK: The key store

  func stored() throws -> StoredKeys {
    if let seen { return seen }
    let stored = try store.keys(of: account)
    seen = stored
    return stored
  }

  /// Reads the key store again, because another process may have changed it.
  func reloadStored() throws -> StoredKeys {
    seen = nil
    return try stored()
  }

  func keep(_ change: (inout StoredKeys) throws(EncryptionError) -> Void) throws {
    let known = seen
    seen = try store.update(account) { (stored) throws(EncryptionError) in
      // The store is empty only if it was removed. Without the known keys, rings that are stored
      // now could never be opened.
      if let known, stored.isEmpty { stored = known }
      try change(&stored)
    }
  }

  /// Changes the key store, unless the closure returns false for its known contents.
  func keepChange(_ change: (inout StoredKeys) -> Bool) throws {
    var known = try stored()
    guard change(&known) else { return }
    try keep { _ = change(&$0) }
  }

  /// Changes the state that this device shares with the user's other devices.
  func keepState(_ change: (inout DeviceState) -> Void) throws {
    try keepChange { $0.changeState(change) }
  }

  /// The user's keys.
  func userKeys() throws -> UserKeys {
    guard let own = try stored().own else { throw EncryptionError.notApproved(account) }
    if let computed, computed.secret == own.secret { return computed }
    let keys = own.keys(of: account)
    computed = keys
    return keys
  }
}

extension KnownPerson.Moment {
  /// The present time, and the name of this device.
  init(_ dependencies: EncryptionEngine.Dependencies) {
    self.init(time: dependencies.now(), device: dependencies.deviceName)
  }
}
