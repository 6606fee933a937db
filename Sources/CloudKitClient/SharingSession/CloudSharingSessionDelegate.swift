public import Foundation

/// Describes shared content to a sharing session, and is notified of the session's changes.
///
/// Parhelion's addition. The methods have the names of `UICloudSharingControllerDelegate`. They are
/// called from the task that changes the share, not on the main thread. Only the first two are
/// required.
public protocol CloudSharingSessionDelegate: AnyObject {
  /// Called when preparing, fetching, changing or deleting the share failed.
  func cloudSharingController(
    _ csc: CloudSharingSession, failedToSaveShareWithError error: any Error)
  /// Returns the title of the shared content, for a share without one.
  func itemTitle(for csc: CloudSharingSession) -> String?
  /// Returns the thumbnail image of the shared content, for a share without one.
  func itemThumbnailData(for csc: CloudSharingSession) -> Data?
  /// Returns the uniform type identifier of the shared content, for a share without one.
  func itemType(for csc: CloudSharingSession) -> String?
  /// Called when the share was saved.
  func cloudSharingControllerDidSaveShare(_ csc: CloudSharingSession)
  /// Called when the user has stopped sharing, or has left the share.
  func cloudSharingControllerDidStopSharing(_ csc: CloudSharingSession)
}

extension CloudSharingSessionDelegate {
  /// Returns nil: no thumbnail.
  public func itemThumbnailData(for csc: CloudSharingSession) -> Data? { nil }
  /// Returns nil: no type.
  public func itemType(for csc: CloudSharingSession) -> String? { nil }
  /// Does nothing.
  public func cloudSharingControllerDidSaveShare(_ csc: CloudSharingSession) {}
  /// Does nothing.
  public func cloudSharingControllerDidStopSharing(_ csc: CloudSharingSession) {}
}
