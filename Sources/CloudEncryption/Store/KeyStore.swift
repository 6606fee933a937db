import Synchronization

/// Where a device keeps keys, so that only the user's own programs can read them.
package protocol KeyStore: Sendable {
  /// What is kept for an account; nothing where there is none yet.
  func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys
  /// Changes what is kept: whole or, where the closure throws, not at all.
  ///
  /// No other process changes it meanwhile. The closure must not wait for anything.
  ///
  /// - Returns: What is kept afterwards.
  @discardableResult
  func update(
    _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
  ) throws(EncryptionError) -> StoredKeys
}

/// A key store that is gone with its process, for tests and for programs that fetch their keys at
/// each start.
package final class MemoryKeyStore: KeyStore {
  private let accounts = Mutex<[EncryptionAccount: [UInt8]]>([:])

  package init() {}

  package func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys {
    guard let bytes = accounts.withLock({ $0[account] }) else { return StoredKeys() }
    return try StoredKeys(bytes, of: account, place: "memory")
  }

  @discardableResult
  package func update(
    _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
  ) throws(EncryptionError) -> StoredKeys {
    try accounts.withLock { (accounts) throws(EncryptionError) in
      var keys =
        try accounts[account].map { (bytes) throws(EncryptionError) in
          try StoredKeys(bytes, of: account, place: "memory")
        } ?? StoredKeys()
      try change(&keys)
      accounts[account] = keys.bytes(of: account)
      return keys
    }
  }
}
