package import Foundation
import ManagedObjects

extension MirrorError {
  /// The code of the error in Cocoa's domain.
  ///
  /// | code | meaning |
  /// |---|---|
  /// | 134400 | no user is signed in |
  /// | 134405 | another user is signed in |
  /// | 134406 | the setup failed; the message has the reason |
  /// | 134407 | the store was removed |
  /// | 134410 | another container of the process mirrors the store |
  /// | 134419 | the request was deferred, or the store is paused |
  /// | 134060 | any other error |
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

  /// Returns the error of an event, with its cause.
  package func cocoaError(in step: MirrorStep?) -> NSError {
    var details: [String: Any] = [
      NSLocalizedRecoverySuggestionErrorKey: remedy, MirrorErrorCode.blockerKey: kind.rawValue,
    ]
    details[NSUnderlyingErrorKey] = cause.error
    return ManagedObjects.cocoaError(cocoaCode(in: step), message, details)
  }
}

/// Apple's codes for errors of mirroring in Cocoa's domain.
package enum MirrorErrorCode {
  package static let noAccount = 134_400
  package static let accountChanged = 134_405
  package static let notInitialised = 134_406
  package static let storeRemoved = 134_407
  package static let storeInUse = 134_410
  package static let deferred = 134_419
  /// The key of the blocker's stable code in the error's user info.
  package static let blockerKey = "ParhelionSyncBlocker"
}
