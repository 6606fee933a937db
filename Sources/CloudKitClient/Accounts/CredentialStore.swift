package import OwnerOnlyFiles
import Synchronization

/// Stores the accounts that have signed in to containers on this machine.
package protocol CredentialStore: Sendable {
  /// Returns the accounts of a container; empty if none has signed in.
  func accounts(at place: CloudAddress) throws(CKError) -> StoredAccounts
  /// Returns the version of the stored accounts without reading them. Every change by any process
  /// changes it.
  func stamp(of place: CloudAddress) throws(CKError) -> CredentialStamp
  /// Changes the stored accounts atomically. If the closure throws, nothing changes.
  ///
  /// Other processes are locked out meanwhile, so the closure must not wait. An unchanged value is
  /// not written.
  ///
  /// - Returns: The stored accounts after the change.
  @discardableResult
  func update(
    _ place: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts
  /// Moves a damaged file out of the way, so that the container has no stored accounts. A sound
  /// file stays.
  ///
  /// - Returns: The new path of the damaged file; nil if nothing was damaged.
  @discardableResult
  func setDamageAside(at place: CloudAddress) throws(CKError) -> String?
}

/// A version of the stored accounts.
package enum CredentialStamp: Hashable, Sendable {
  case nothing
  case file(FileStamp)
  case number(Int)
}

/// A credential store in memory, which ends with its process.
package final class MemoryCredentialStore: CredentialStore {
  private struct Kept {
    var accounts = StoredAccounts()
    var changes = 0
  }

  private let places = Mutex<[CloudAddress: Kept]>([:])

  package init() {}

  package func accounts(at place: CloudAddress) -> StoredAccounts {
    places.withLock { $0[place]?.accounts ?? StoredAccounts() }
  }

  package func setDamageAside(at place: CloudAddress) -> String? { nil }

  package func stamp(of place: CloudAddress) -> CredentialStamp {
    .number(places.withLock { $0[place]?.changes ?? 0 })
  }

  @discardableResult
  package func update(
    _ place: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts {
    try places.withLock { places throws(CKError) in
      var kept = places[place] ?? Kept()
      let before = kept.accounts
      try change(&kept.accounts)
      if kept.accounts != before { kept.changes += 1 }
      places[place] = kept
      return kept.accounts
    }
  }
}
