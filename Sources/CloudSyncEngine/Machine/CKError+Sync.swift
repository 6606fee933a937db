import CloudKitClient
import Foundation

extension CKError {
  /// Whether the error is temporary, so that the sync engine retries.
  package var isTemporary: Bool {
    switch code {
    case .networkFailure, .networkUnavailable, .serverResponseLost, .zoneBusy, .serviceUnavailable,
      .requestRateLimited,
      .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled:
      true
    default: false
    }
  }

  /// Whether the cause is this machine, such as a full disk.
  ///
  /// The engine fetches the data again.
  package var isLocal: Bool { code == .internalError && userInfo[NSUnderlyingErrorKey] != nil }

  /// Whether the engine retries after this error.
  package var isRetried: Bool { isTemporary || isLocal }

  /// Whether an unreadable record may become readable: its keys have not arrived, or a later
  /// library version is needed.
  package var canBeOpenedLater: Bool { awaitsKeys || needsLaterLibrary }

  /// Whether a failed change stays pending.
  ///
  /// The app handles the other failures.
  package var keepsPendingChange: Bool { isTemporary || code == .batchRequestFailed }

  /// Whether the zone does not exist, for any reason.
  package var isZoneGone: Bool { code == .zoneNotFound || code == .userDeletedZone }
}
