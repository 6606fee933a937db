import Foundation

extension CKError {
  /// Whether the sync engine tries again by itself, since what went wrong passes by itself.
  package var passesByItself: Bool {
    switch code {
    case .networkFailure, .networkUnavailable, .serverResponseLost, .zoneBusy, .serviceUnavailable,
      .requestRateLimited,
      .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled:
      true
    default: false
    }
  }

  /// Whether this machine is to blame, such as one whose disk is full: an engine asks again for
  /// what it could not keep.
  package var isOfThisMachine: Bool {
    code == .internalError && userInfo[NSUnderlyingErrorKey] != nil
  }

  /// Whether an engine tries again by itself.
  package var isTriedAgain: Bool { passesByItself || isOfThisMachine }

  /// Whether a record that cannot be opened can be another time: its keys have not come, or this
  /// version of the library does not know its form.
  package var canBeOpenedLater: Bool { awaitsKeys || needsLaterLibrary }

  /// Whether a record that fails so is left out of a feed, and the place moves on: it cannot be had
  /// for good, or not before its keys come.
  ///
  /// Whatever else keeps a record from coming, such as a network that is gone or a disk that is
  /// full, holds the place: nothing would tell of the record again.
  package var letsFeedGoOn: Bool {
    tellsUnreadable || awaitsKeys || tellsKeysMissing || code == .unknownItem
  }

  /// Whether a change that failed so is sent again: others of its kind are the program's to decide.
  package var keepsPendingChange: Bool { passesByItself || code == .batchRequestFailed }

  /// Whether a zone is not there, whatever the reason.
  package var tellsZoneGone: Bool { code == .zoneNotFound || code == .userDeletedZone }
}
