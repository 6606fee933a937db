extension CKError {
  /// Whether the sync engine tries again by itself, since what went wrong passes by itself.
  package var passesByItself: Bool {
    switch code {
    case .networkFailure, .networkUnavailable, .serverResponseLost, .zoneBusy, .serviceUnavailable, .requestRateLimited,
      .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled:
      true
    default: false
    }
  }

  /// Whether a change that failed so is sent again: others of its kind are the program's to decide.
  package var keepsPendingChange: Bool { passesByItself || code == .batchRequestFailed }

  /// Whether a zone is not there, whatever the reason.
  package var tellsZoneGone: Bool { code == .zoneNotFound || code == .userDeletedZone }
}
