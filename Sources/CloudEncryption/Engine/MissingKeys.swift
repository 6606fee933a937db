import Synchronization

/// Keys that were asked for in vain while many records are opened one after the other: each of them would ask again.
package final class MissingKeys: Sendable {
  /// Those of whoever opens many records now.
  @TaskLocal package static var noted: MissingKeys?

  private let errors = Mutex<[KeyScope: EncryptionError]>([:])

  package init() {}

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
