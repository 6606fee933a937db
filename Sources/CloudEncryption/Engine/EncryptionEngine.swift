package import CloudRecords
import CloudWire
import Cryptography

/// Everything about encryption that a device does for one account: its keys, those of zones and
/// shares, and what is sealed under them.
///
///             start ──▶ ready                       the device has the user's keys
///               │
///               └─────▶ needs approval ──recover──▶ ready        by the recovery code
///                              └────── devices ───▶ ready        by another device (`DeviceApproval`)
///
/// It talks to the server when keys are made, missing or handed on, and keeps in the key store what
/// it learnt.
package actor EncryptionEngine {
  /// What is not the same in every run.
  package struct Dependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var randomBytes: RandomBytes

    package init(
      now: @escaping @Sendable () -> Timestamp,
      randomBytes: @escaping RandomBytes = { SecureRandom.bytes($0) }
    ) {
      self.now = now
      self.randomBytes = randomBytes
    }
  }

  package nonisolated let account: EncryptionAccount
  let store: any KeyStore
  let exchange: any KeyBagExchange
  let dependencies: Dependencies
  /// The key store's contents, as this engine saw them last.
  private var seen: StoredKeys?
  /// The user's keys, computed from the secret that the key store has.
  private var computed: UserKeys?
  /// Scopes whose ring was compared with the server's since the engine was made.
  var confirmed: Set<KeyScope> = []
  /// The generation of the public key bag in which the server has this device's keys; nil before it
  /// was compared.
  package internal(set) var keyGeneration: Int64?
  /// This device's own request for the keys.
  ///
  /// It is changed in place alone, never after a wait from a former copy.
  var newDevice: NewDevice?
  /// The requests that this device may have in the private key bag.
  var ownRequests: Set<[UInt8]> = []
  /// The approvals that this device began, by the request.
  ///
  /// They are kept over errors, so that no request gets a second challenge.
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

  /// Looks again, since another process may have learnt something.
  func storedNow() throws -> StoredKeys {
    seen = nil
    return try stored()
  }

  func keep(_ change: (inout StoredKeys) throws(EncryptionError) -> Void) throws {
    let known = seen
    seen = try store.update(account) { (stored) throws(EncryptionError) in
      // Nothing takes all away: somebody has removed the store. What is kept now would be rings
      // that nobody can open.
      if let known, stored.isEmpty { stored = known }
      try change(&stored)
    }
  }

  /// The user's keys.
  func userKeys() throws -> UserKeys {
    guard let own = try stored().own else { throw Self.notApproved(account) }
    if let computed, computed.secret == own.secret { return computed }
    let keys = UserKeys(own.secret, userRecordName: account.userRecordName)
    computed = keys
    return keys
  }

  static func notApproved(_ account: EncryptionAccount) -> EncryptionError {
    EncryptionError(
      .deviceNotApproved,
      "This device does not have the keys of “\(account.userRecordName)” in \(account.container.container). Enter the recovery code, or approve this device from another one; if neither is left, reset the encrypted data."
    )
  }

  static func busy(_ what: String) -> EncryptionError {
    EncryptionError(
      .busy,
      "\(what) was changed by others \(Limits.attempts) times while it was being written. Try again later."
    )
  }
}
