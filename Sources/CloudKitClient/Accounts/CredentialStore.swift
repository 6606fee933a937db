package import OwnerOnlyFiles
import Synchronization

/// Where a machine keeps who has signed in to its containers.
package protocol CredentialStore: Sendable {
  /// The accounts of a container; none where nobody has ever signed in.
  func accounts(at place: CloudAddress) throws(CKError) -> StoredAccounts
  /// The version of what is kept, without a look into it: it changes with every change, whichever
  /// process makes it.
  func stamp(of place: CloudAddress) throws(CKError) -> CredentialStamp
  /// Changes what is kept: whole or, where the closure throws, not at all.
  ///
  /// No other process changes it meanwhile. The closure must not wait for anything. What is no
  /// change is not written.
  ///
  /// - Returns: What is kept afterwards.
  @discardableResult
  func update(
    _ place: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts
  /// Puts what is damaged out of the way, so that there is nothing kept any more; what is sound
  /// stays.
  ///
  /// - Returns: Where the damaged file is now; nil where nothing was damaged.
  @discardableResult
  func setDamageAside(at place: CloudAddress) throws(CKError) -> String?
}

/// A version of a container's accounts.
package enum CredentialStamp: Hashable, Sendable {
  case nothing
  case file(FileStamp)
  case number(Int)
}

/// A store that is gone with its process.
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
