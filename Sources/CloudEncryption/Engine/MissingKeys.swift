import Synchronization

/// Keys that were asked for in vain while many records are opened one after the other: each of them
/// would ask again.
package final class MissingKeys: Sendable {
  /// Those of whoever opens many records now.
  @TaskLocal package static var noted: MissingKeys?

  private let ofDevice = Mutex<(any Error)?>(nil)
  private let errors = Mutex<[KeyScope: EncryptionError]>([:])

  package init() {}

  /// Why this device has no keys of the user's; nil where it has, or nobody has asked.
  package var deviceError: (any Error)? { ofDevice.withLock(\.self) }

  /// Notes that this device has no keys of the user's.
  package func note(ofDevice error: any Error) { ofDevice.withLock { $0 = error } }

  /// Why the keys of a zone or share could not be had; nil where nobody has asked.
  func error(of scope: KeyScope) -> EncryptionError? { errors.withLock { $0[scope] } }

  /// Notes what whoever asks next would be told, too; what passes by itself is not noted.
  func note(_ error: any Error, of scope: KeyScope) {
    guard let error = error as? EncryptionError,
      [.keysNotHandedOut, .identityChanged, .unknownKey].contains(error.code)
    else { return }
    errors.withLock { $0[scope] = error }
  }
}
