public import Foundation

/// An observer of the system's sharing UI.
@available(
  *, unavailable,
  message: "There is no sharing UI on this platform. The app saves and deletes shares itself."
)
open class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
  /// Called when the user has saved a share.
  open var systemSharingUIDidSaveShareBlock: ((CKRecord.ID, Result<CKShare, any Error>) -> Void)?
  /// Called when the user has stopped sharing.
  open var systemSharingUIDidStopSharingBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?

  /// Creates an observer for a container.
  public init(container: CKContainer) {}
}
