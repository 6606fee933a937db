public import Foundation

/// Hears of what a user does in the system's own windows for sharing.
@available(
  *, unavailable,
  message:
    "There is no system that shows how to share: the program saves and deletes shares itself, and knows of it."
)
open class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
  /// Is told of shares that the user has saved.
  open var systemSharingUIDidSaveShareBlock: ((CKRecord.ID, Result<CKShare, any Error>) -> Void)?
  /// Is told of shares that the user has ended.
  open var systemSharingUIDidStopSharingBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?

  /// An observer of what happens in a container.
  public init(container: CKContainer) {}
}
