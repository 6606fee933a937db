import Synchronization

/// A store for keys that only the user's own programs can read.
package protocol KeyStore: Sendable {
  /// Returns the stored keys of an account, which are empty for a new account.
  func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys
  /// Changes the stored keys atomically, or not at all if the closure throws.
  ///
  /// No other process changes them meanwhile. The closure must not block.
  ///
  /// - Returns: The stored keys after the change.
  @discardableResult
  func update(
    _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
  ) throws(EncryptionError) -> StoredKeys
}

/// A key store in memory, for tests and for programs that fetch their keys at each start.
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
