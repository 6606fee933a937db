import CloudKitClient
import Foundation
import ManagedObjects

extension MirrorError {
  /// Creates the mirroring error for any error.
  ///
  /// A partial failure has the first cause that does not merely follow from another record's error.
  package init(_ error: any Error, recordType: String? = nil) {
    switch error {
    case let failure as MirrorError: self = failure
    case is AnswerOvertaken:
      self.init(.conflict, "Another process keeps importing changes into the same store.")
    case is CancellationError: self.init(.cancelled, "The step was cancelled.")
    case let error as CKError: self.init(error, recordType)
    default: self.init(.store, (error as NSError).localizedDescription)
    }
  }

  private init(_ error: CKError, _ recordType: String?) {
    if error.code == .partialFailure, let cause = error.cause {
      self.init(cause, recordType: recordType); return
    }
    self.init(
      Kind(error), error.localizedDescription, retryAfterSeconds: error.retryAfterSeconds,
      recordType: recordType)
    cause.error = error
    if kind == .schemaNotDeployed {
      field = message.quoted(after: "field ")
      self.recordType =
        recordType ?? message.quoted(after: "record ") ?? message.quoted(after: "type ")
    }
  }
}

extension MirrorError {
  /// The same error for a step that sends no records, so that a rejection concerns no object.
  package var ofNoRecord: MirrorError {
    guard kind == .rejectedRecord else { return self }
    return MirrorError(.unexpected, message, retryAfterSeconds: retryAfterSeconds)
  }
}

extension MirrorError: Error {}

extension MirrorError.Kind {
  fileprivate init(_ error: CKError) {
    if error.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil {
      self = .encryptedDataReset; return
    }
    // The records of the former zone are not deleted just because the new zone lacks them.
    if error.isZoneRecreated { self = .zoneMissing; return }
    if error.isOtherUser { self = .cancelled; return }
    if error.peopleWithChangedKeys != nil { self = .peopleChanged; return }
    if error.areKeysMissing || error.awaitsKeys { self = .keysMissing; return }
    if error.isSchemaNotDeployed { self = .schemaNotDeployed; return }
    self =
      switch error.code {
      case .networkFailure, .networkUnavailable, .serverResponseLost: .offline
      case .requestRateLimited: .throttled
      case .serviceUnavailable: .serviceUnavailable
      case .zoneBusy: .zoneBusy
      case .limitExceeded: .limitExceeded
      case .quotaExceeded: .quotaExceeded
      case .permissionFailure, .managedAccountRestricted: .permission
      case .serverRecordChanged, .batchRequestFailed: .conflict
      case .changeTokenExpired: .tokenExpired
      case .zoneNotFound: .zoneMissing
      case .userDeletedZone: .zoneDeletedByUser
      case .notAuthenticated: .signInAgain
      case .accountTemporarilyUnavailable: .signInAgain
      case .badContainer, .missingEntitlement, .badDatabase: .notConfigured
      case .operationCancelled: .cancelled
      case .invalidArguments, .serverRejectedRequest, .constraintViolation, .referenceViolation,
        .assetFileNotFound, .assetFileModified:
        .rejectedRecord
      default: .unexpected
      }
  }
}

extension CKError {
  /// The first error of a partial failure that does not follow from another record's.
  fileprivate var cause: CKError? {
    let errors = (partialErrorsByItemID ?? [:]).sorted { "\($0.key)" < "\($1.key)" }.compactMap {
      $0.value as? CKError
    }
    return errors.first { $0.code != .batchRequestFailed } ?? errors.first
  }
}

extension String {
  /// The quoted text that follows some words.
  fileprivate func quoted(after words: String) -> String? {
    guard let begin = range(of: words + "'") else { return nil }
    return self[begin.upperBound...].split(separator: "'", omittingEmptySubsequences: false).first
      .map(String.init)
  }
}
