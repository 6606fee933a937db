package import OwnerOnlyFiles
import Synchronization

/// Stores the accounts that have signed in to containers on this machine.
package protocol CredentialStore: Sendable {
  /// Returns the accounts of a container; empty if none has signed in.
  func accounts(at address: CloudAddress) throws(CKError) -> StoredAccounts
  /// Returns the version of the stored accounts without reading them.
  ///
  /// Every change by any process changes the version.
  func stamp(of address: CloudAddress) throws(CKError) -> CredentialStamp
  /// Changes the stored accounts atomically, or not at all if the closure throws.
  ///
  /// Other processes are locked out meanwhile, so the closure must not wait. An unchanged value is
  /// not written.
  ///
  /// - Returns: The stored accounts after the change.
  @discardableResult
  func update(
    _ address: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts
  /// Moves a damaged file out of the way, so that the container has no stored accounts.
  ///
  /// An undamaged file stays.
  ///
  /// - Returns: The new path of the damaged file; nil if nothing was damaged.
  @discardableResult
  func moveDamagedFileAside(at address: CloudAddress) throws(CKError) -> String?
}

/// A version of the stored accounts.
package enum CredentialStamp: Hashable, Sendable {
  case nothing
  case file(FileStamp)
  case number(Int)
}

/// A credential store in memory, which ends with its process.
package final class MemoryCredentialStore: CredentialStore {
  private struct Stored {
    var accounts = StoredAccounts()
    var changes = 0
  }

  private let contents = Mutex<[CloudAddress: Stored]>([:])

  package init() {}

  package func accounts(at address: CloudAddress) -> StoredAccounts {
    contents.withLock { $0[address]?.accounts ?? StoredAccounts() }
  }

  package func moveDamagedFileAside(at address: CloudAddress) -> String? { nil }

  package func stamp(of address: CloudAddress) -> CredentialStamp {
    .number(contents.withLock { $0[address]?.changes ?? 0 })
  }

  @discardableResult
  package func update(
    _ address: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts {
    try contents.withLock { contents throws(CKError) in
      var stored = contents[address] ?? Stored()
      let before = stored.accounts
      try change(&stored.accounts)
      if stored.accounts != before { stored.changes += 1 }
      contents[address] = stored
      return stored.accounts
    }
  }
}
