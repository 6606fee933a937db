package import Foundation
import ManagedObjects

extension MirrorError {
  /// The code of the error in Cocoa's domain.
  ///
  /// | code | what it says |
  /// |---|---|
  /// | 134400 | no user is signed in |
  /// | 134405 | another user is signed in |
  /// | 134406 | the store was never set up, and why |
  /// | 134407 | the store was removed |
  /// | 134410 | another container of the process mirrors the store |
  /// | 134419 | what was asked was put off, or the store is paused |
  package func cocoaCode(in step: MirrorStep?) -> Int {
    switch kind {
    case .noAccount, .signInAgain: MirrorErrorCode.noAccount
    case .accountChanged: MirrorErrorCode.accountChanged
    case .storeRemoved: MirrorErrorCode.storeRemoved
    case .storeInUse: MirrorErrorCode.storeInUse
    case .cancelled, .paused: MirrorErrorCode.deferred
    default: step == .setUp ? MirrorErrorCode.notInitialised : NSCoreDataError
    }
  }

  /// The error of an event, with what caused it.
  package func cocoaError(in step: MirrorStep?) -> NSError {
    var details: [String: Any] = [
      NSLocalizedRecoverySuggestionErrorKey: kind.remedy, MirrorErrorCode.blockerKey: kind.rawValue,
    ]
    details[NSUnderlyingErrorKey] = cause.error
    return ManagedObjects.cocoaError(cocoaCode(in: step), message, details)
  }
}

/// The codes of mirroring's errors in Cocoa's domain, which are Apple's.
package enum MirrorErrorCode {
  package static let noAccount = 134_400
  package static let accountChanged = 134_405
  package static let notInitialised = 134_406
  package static let storeRemoved = 134_407
  package static let storeInUse = 134_410
  /// Another request of the same kind is pending already.
  package static let alreadyPending = 134_417
  package static let deferred = 134_419
  /// In the details: the stable code of what stands in the way.
  package static let blockerKey = "ParhelionSyncBlocker"
}
