import Synchronization

/// The keys that a task could not fetch, so that it requests them once and not for each record.
package final class MissingKeys: Sendable {
  /// The missing keys of the current task, which opens many records.
  @TaskLocal package static var noted: MissingKeys?

  private let ofDevice = Mutex<(any Error)?>(nil)
  /// The scopes whose people were fetched again because a value's signer was not a known writer.
  private let refreshed = Mutex<Set<KeyScope>>([])
  private let errors = Mutex<[KeyScope: EncryptionError]>([:])

  package init() {}

  /// The recorded error because of which this device lacks the user's keys; nil if there is none.
  package var deviceError: (any Error)? { ofDevice.withLock(\.self) }

  /// Records that this device does not have the user's keys.
  package func note(ofDevice error: any Error) { ofDevice.withLock { $0 = error } }

  /// The error of fetching the keys of a zone or share, or nil if there was none.
  func error(of scope: KeyScope) -> EncryptionError? { errors.withLock { $0[scope] } }

  /// Records that the people of a scope are fetched again, and returns whether this is the first
  /// time.
  func firstRefresh(of scope: KeyScope) -> Bool {
    refreshed.withLock { $0.insert(scope).inserted }
  }

  /// Records a permanent error, and ignores transient ones.
  func note(_ error: any Error, of scope: KeyScope) {
    guard let error = error as? EncryptionError,
      [.keysNotDelivered, .identityChanged, .unknownKey].contains(error.code)
    else { return }
    errors.withLock { $0[scope] = error }
  }
}
